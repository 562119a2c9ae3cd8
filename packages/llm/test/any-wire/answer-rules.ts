/** What holds for the answers of every wire: how they stop, what they keep and how they break. */
import { expect, test } from "vitest"
import type { FailureCode, Finish, StreamEvent } from "../../src/wire.ts"
import { failureCode, firstOf } from "../answers.ts"

type Read<Given> = (given: Given) => readonly StreamEvent[]

/** A reason that nobody knows is asked of every wire; `before` is what comes right before the finish. */
export function readsStopReasons(
  read: Read<string>,
  reasons: readonly (readonly [native: string, reason: Finish])[],
  before: readonly object[] = [],
): void {
  const rows = [...reasons, ["constructor", "unknown"] as const]
  test.each(rows)("[LL6] that stops for %s finishes as %s", (native, reason) => {
    const finish = { type: "finish", reason, nativeReason: native }
    expect(read(native).slice(-1 - before.length)).toMatchObject([...before, finish])
  })
}

/** Reads an answer with a call of these arguments. */
export function keepsArgumentsAsSent(read: Read<string>): void {
  test("[LL6] whose arguments are not JSON, or too deep, keeps them as they were sent", () => {
    for (const raw of ['{"path": ', `${"[".repeat(300)}${"]".repeat(300)}`]) {
      expect(firstOf(read(raw), "call-end")).toMatchObject({ input: null, raw })
    }
  })
}

/** Reads an answer that is cut in the middle of its call. */
export function keepsArgumentsThatWereCut(read: () => readonly StreamEvent[], nativeReason: string): void {
  test("[LL6] cut by the output limit keeps arguments that are not JSON as they were sent", () => {
    expect(firstOf(read(), "call-end")).toMatchObject({ input: null, raw: '{"path": "a' })
    expect(read().at(-1)).toMatchObject({ reason: "length", nativeReason })
  })
}

export function saysThatItDeclines(read: () => readonly StreamEvent[]): void {
  test("[LL6] that is a refusal says so, in its words", () => {
    expect(firstOf(read(), "text-end")).toMatchObject({ text: "I can't help with that." })
    expect(read().at(-1)).toMatchObject({ type: "finish", reason: "refusal" })
  })
}

export type Fault<Given> = readonly [fault: string, answer: Given, code: FailureCode]

export function failsTyped<Given>(read: Read<Given>, faults: readonly Fault<Given>[]): void {
  test.each(faults)("[LL6] with %s fails, typed", (_, answer, code) => {
    const events = read(answer)
    expect(failureCode(events)).toBe(code)
    expect(events.filter((event) => event.type === "failure")).toHaveLength(1)
  })
}

/** What breaks every answer of server-sent events; `open` is one in the middle of its text. */
export const eventStreamFaults = (open: string, noObject = "7"): readonly Fault<string>[] => [
  ["nothing at all", "", "stream_cut"],
  ["an end in its middle", open, "stream_cut"],
  ["a frame that is not JSON", `${open}data: {"type"\n\n`, "malformed_stream"],
  ["a frame that is no object", `${open}data: ${noObject}\n\n`, "malformed_stream"],
]
