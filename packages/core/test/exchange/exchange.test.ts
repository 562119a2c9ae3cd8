/** Answers that are neither an answer nor a refusal of the provider's own. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { exchange, exchangeLimits } from "../../src/exchange/exchange.ts"
import type { ProviderFailure, Transport } from "@holdfast/llm/wire"

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const transportOf = ({ status, headers, body = "" }: Answer): Transport => ({
  send: () =>
    Effect.sync(() => {
      const pieces = [Buffer.from(body)]
      return { status, headers, read: Effect.sync(() => pieces.shift() ?? null), leave: () => {} }
    }),
})

const failureOf = (
  answer: Answer,
  redact = (text: string): string => text,
): Promise<ProviderFailure | null> =>
  Effect.runPromise(
    Effect.scoped(
      exchange<never>({
        transport: transportOf(answer),
        wire: anthropicMessages,
        request: {
          url: "https://api.example/v1/messages",
          headers: {},
          body: [],
          bytes: 0,
          limits: { firstByteMs: 1_000, idleMs: 1_000 },
        },
        limits: exchangeLimits,
        redact,
        take: () => Effect.succeed(null),
      }),
    ),
  )

test.each([
  [301, "https://other.example/v1/messages?key=sk-secret", "https://other.example/v1/messages"],
  [307, "/elsewhere", "https://api.example/elsewhere"],
])("[TU4] a redirect with status %d names the new address and is not followed", async (status, to, named) => {
  const failure = await failureOf({ status, headers: { location: to } })
  expect(failure).toMatchObject({ code: "redirected", retryable: false, status })
  expect(failure?.message).toContain(`the new address is ${named}.`)
  expect(failure?.message).toContain("configure it as the base URL")
  expect(failure?.message).not.toContain("sk-secret")
})

test("[TU4] a redirect to nowhere says so", async () =>
  expect((await failureOf({ status: 302, headers: {} }))?.message).toContain("it does not say where to"))

test("[LL6] a stream that is compressed against the request says what to check", async () => {
  const failure = await failureOf({ status: 200, headers: { "content-encoding": "gzip" }, body: "\u001f" })
  expect(failure).toMatchObject({ code: "compressed_answer", retryable: false })
  expect(failure?.message).toMatch(/compressed.*Check the proxies.*content-encoding is gzip/s)
})

test("[LL6] a compressed refusal is told by its status", async () => {
  const failure = await failureOf({ status: 400, headers: { "content-encoding": "br" }, body: "\u001f" })
  expect(failure).toMatchObject({ code: "invalid_request", status: 400 })
  expect(failure?.message).toContain("The answer is compressed (br).")
})

test("[AU1] a refusal is quoted without a key, also where the quotation ends in the middle of it", async () => {
  const key = "correct horse battery staple"
  for (let before = 460; before < 500; before += 4) {
    const body = JSON.stringify({ error: { message: `${"x ".repeat(before / 2)}${key}` } })
    const failure = await failureOf({ status: 400, headers: {}, body }, (text) => text.replaceAll(key, "…"))
    expect(failure?.message).toContain("x x")
    expect(failure?.message).not.toMatch(/corr|horse|batt|stap/)
  }
})
