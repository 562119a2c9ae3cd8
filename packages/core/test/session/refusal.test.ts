import { expect, test } from "vitest"
import type { TurnRecord } from "@holdfast/schema/turn-record"
import { namesOtherCause } from "../../src/session/refusal/other-cause.ts"
import { suspectSize } from "../../src/session/refusal/refusal.ts"

interface Turn {
  readonly tokens: number
  readonly model?: string
  /** Null while it runs. */
  readonly status?: "done" | "failed" | "interrupted" | null
  readonly reported?: number
  readonly cut?: boolean
}

const turn = ({ tokens, model = "m", status = "done", reported = tokens, cut = false }: Turn): TurnRecord =>
  ({
    started: {
      model: { provider: "p", model },
      request: { tokensEstimated: tokens },
      break: cut ? { reason: "cut_refusal" } : null,
    },
    settled: status && {
      status,
      ledger: {
        attempts: [
          {
            failure: status === "done" ? null : { code: "x", message: "" },
            waitMs: 0,
            usage: { input: reported, output: 0, cacheRead: 0, cacheWrite: 0 },
          },
        ],
      },
    },
  }) as unknown as TurnRecord

const running = (tokens: number, more: Partial<Turn> = {}) => turn({ tokens, status: null, ...more })
const refused = (tokens: number, more: Partial<Turn> = {}) =>
  turn({ tokens, status: "failed", reported: 0, ...more })
const suspected = (refusedTokens: number, acceptedTokens: number) => ({
  suspected: true,
  words: "",
  refusedTokens,
  acceptedTokens,
})

test.each<readonly [string, readonly TurnRecord[], object | null]>([
  ["it grew", [turn({ tokens: 9_000, reported: 9_500 }), running(9_001)], suspected(9_001, 9_500)],
  ["it did not grow", [turn({ tokens: 9_000 }), running(9_000)], null],
  ["it is small", [turn({ tokens: 100 }), running(7_999)], null],
  ["nothing was taken yet", [running(9_000)], suspected(9_000, 0)],
  ["another model took more", [turn({ tokens: 20_000, model: "n" }), running(9_000)], suspected(9_000, 0)],
  [
    "an answer that broke off was taken",
    [turn({ tokens: 9_000, status: "interrupted" }), running(9_000)],
    null,
  ],
  ["a cut was tried since", [turn({ tokens: 9_000 }), refused(9_500, { cut: true }), running(9_600)], null],
  ["this is the cut one", [turn({ tokens: 9_000 }), refused(12_000), running(9_600, { cut: true })], null],
  [
    "a cut that was taken is no try in vain",
    [refused(12_000), turn({ tokens: 8_500, cut: true }), running(9_600)],
    suspected(9_600, 8_500),
  ],
])("[TU5] whether the size may be what is refused: %s", (_, turns, expected) =>
  expect(suspectSize(turns, (turns.at(-1) as TurnRecord).started)).toEqual(expected),
)

test.each([
  ['Unexpected role "system". Allowed roles are user and assistant.', true],
  ["tools.20.custom.input_schema: JSON schema is invalid", true],
  ["Unsupported parameter: temperature", true],
  ["messages.3.content.0: signature is missing", true],
  ["max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens", true],
  ["messages: the request is larger than what this model takes", false],
  ["This tool output exceeds the window of the model", false],
  ["Der Kontext ist zu gross.", false],
  ["The provider refused the request as invalid.", false],
  ["", false],
])("[TU5] a refusal that names something else than a size is none of size: %s", (words, other) =>
  expect(namesOtherCause(words)).toBe(other),
)
