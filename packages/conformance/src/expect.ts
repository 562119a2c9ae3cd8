/** Words for what was expected: each rejects with a sentence that says what came instead. */
import { strict as assert } from "node:assert"
import { isFailure } from "@holdfast/client"
import type { Answer } from "./stage.ts"

const shownMax = 300

/** A value for a report: on one line, and not too long. */
export function show(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value))
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
}

/** An answer for a report. */
export const showAnswer = ({ status, text }: Answer): string =>
  `status ${status} with ${show(text) || "no body"}`

const tagOf = (value: unknown): string | null =>
  typeof value === "object" && value !== null && "_tag" in value && typeof value._tag === "string"
    ? value._tag
    : null

/** The answer refuses: 4xx with a typed body, with one of these tags if any are given. */
export function expectRefusal(about: string, answer: Answer, ...tags: readonly string[]): void {
  const wanted = tags.length === 0 ? "4xx with a typed body" : `4xx with ${tags.join(" or ")}`
  const words = `${about}: expected ${wanted}, got ${showAnswer(answer)}`
  assert(answer.status >= 400 && answer.status < 500, words)
  const tag = tagOf(answer.json)
  assert(tag !== null && (tags.length === 0 || tags.includes(tag)), words)
  const { message } = answer.json as { readonly message?: unknown }
  assert(
    typeof message === "string" && message !== "",
    `${about}: expected a message, got ${showAnswer(answer)}`,
  )
}

/** The answer is of this status. */
export const expectStatus = (about: string, answer: Answer, status: number): void =>
  assert(answer.status === status, `${about}: expected status ${status}, got ${showAnswer(answer)}`)

/** Never a defect; where it refuses, it does so with a typed body. */
export function expectNoDefect(about: string, answer: Answer): void {
  assert(answer.status < 500, `${about}: expected no defect, got ${showAnswer(answer)}`)
  if (answer.status >= 400) expectRefusal(about, answer)
}

/** The call rejects with a failure of this tag, which it returns. */
export async function expectFailure(
  about: string,
  call: Promise<unknown>,
  ...tags: readonly string[]
): Promise<Readonly<Record<string, unknown>>> {
  const failure = await rejectionOf(call)
  assert(failure !== null, `${about}: expected ${tags.join(" or ")}, but the call succeeded`)
  const tag = tagOf(failure)
  const words = `${about}: expected ${tags.join(" or ")}, got ${tag ?? "no tag"}: ${show(failure)}`
  assert(tag !== null && tags.includes(tag), words)
  assert(isFailure(failure), `${about}: the guard of the client does not know ${show(failure)}`)
  return failure as unknown as Readonly<Record<string, unknown>>
}

/** What a call rejects with; null where it succeeds. */
export const rejectionOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (failure: unknown) => failure ?? "nothing",
  )

export function expectEqual(about: string, found: unknown, expected: unknown): void {
  try {
    assert.deepEqual(found, expected)
  } catch {
    assert.fail(`${about}: expected ${show(expected)}, got ${show(found)}`)
  }
}

export const expectTrue = (about: string, found: boolean): void => assert(found, about)
