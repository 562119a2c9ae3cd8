/** The encoder's bytes, pinned: a change without a new encoder version fails. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { anthropicMessages } from "../src/anthropic-messages/index.ts"
import type { Segments, Target } from "../src/segments.ts"
import {
  answer,
  bodyText,
  call,
  notice,
  segmentsOf,
  system,
  targetOf,
  text,
  thinking,
  user,
} from "./requests.ts"

const path = join(import.meta.dirname, "golden", "anthropic-messages.json")

interface Golden {
  readonly encoder: string
  readonly cases: Readonly<Record<string, unknown>>
}

const longLoop = [
  user("go"),
  ...Array.from({ length: 12 }, (_, i) => answer(text(`step ${i}`), call(i, { result: `result ${i}` }))),
]

const cases: Readonly<Record<string, { segments: Segments; target: Target; previous: number }>> = {
  "a first prompt": { segments: segmentsOf([user("Hello")]), target: targetOf(), previous: 0 },
  "calls, reasoning, a notice and half a pair": {
    segments: segmentsOf([
      user("fix \ud800 it"),
      answer(
        thinking("let me see"),
        thinking("", { type: "redacted_thinking", data: "c2VhbGVk" }),
        text("I look."),
        call(1, { input: { b: 1, a: [true, null, -0], "10": "ten" } }),
        call(2, { name: "not a tool", input: "junk", result: " ", failed: true }),
      ),
      answer(thinking("elsewhere", undefined, { ...targetOf(), model: "another" }), text("half an ans")),
      notice("The answer was cut. </notice> & more"),
    ]),
    target: targetOf({ thinkingTokens: 4_096 }),
    previous: 5,
  },
  "a system message in its own role, for an hour": {
    segments: segmentsOf([user("one"), answer(text("two")), user("three"), system("The date changed.")]),
    target: targetOf({ systemRole: true, cacheTtl: "1h" }),
    previous: 0,
  },
  "a system message as a fallback": {
    segments: segmentsOf([user("one"), system("The <context-update> changed."), user("two")]),
    target: targetOf({ systemRole: true }),
    previous: 0,
  },
  "all segments and a long loop": {
    segments: segmentsOf(longLoop, {
      historyBaseline: [notice("Summary of what was."), user("old words")],
      historyDelta: [notice("Since then.")],
    }),
    target: targetOf(),
    previous: 8,
  },
}

const current: Golden = {
  encoder: anthropicMessages.encoder,
  cases: Object.fromEntries(
    Object.entries(cases).map(([name, { segments, target, previous }]) => {
      const encoded = anthropicMessages.encode(segments, target)
      const placed = anthropicMessages.place(encoded, target, previous)
      const blocks = encoded.blocks.map((block) => ({ segment: block.segment, hash: block.hash }))
      // Estimates may improve without a new version: they are not in the bytes.
      const { tokensEstimated: _, ...record } = placed.record
      return [name, { record, blocks, body: bodyText(placed) }]
    }),
  ),
}

const read = (): Golden => JSON.parse(readFileSync(path, "utf8")) as Golden

// To accept new bytes: raise `encoderVersion` first, then run once with this set.
if (process.env["HOLDFAST_GOLDEN"] === "write" && (!existsSync(path) || read().encoder !== current.encoder)) {
  writeFileSync(path, `${JSON.stringify(current, null, 2)}\n`)
}

test.each(Object.keys(cases))("[TU1] keeps the bytes and hashes of this encoder version: %s", (name) => {
  expect(read().encoder, "HOLDFAST_GOLDEN=write stores the bytes of a new encoder version.").toBe(
    current.encoder,
  )
  expect(current.cases[name], "Other bytes need another encoderVersion in place.ts.").toEqual(
    read().cases[name],
  )
})
