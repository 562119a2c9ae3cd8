/** Lies about images: what is taken in, what is shown, and what is taken out. */
import { contract, type Mutant, tests } from "./mutant.ts"

const normalise = tests("packages/core/test/media/normalise.test.ts")
const refusals = tests(
  "packages/core/test/media/refusals.test.ts",
  "packages/core/test/media/normalise.test.ts",
)
const shown = tests("packages/recall/test/images.test.ts")
const session = tests("test/session/media/images.test.ts")

export const mediaMutants: readonly Mutant[] = [
  {
    name: "an image that nobody decoded",
    rules: ["LL7"],
    file: "packages/core/src/media/normalise.ts",
    find: "(yield* decoding(() => decodeAll(engine, bytes))) !== null",
    replace: "(yield* decoding(() => decodeAll(engine, bytes))) !== undefined",
    run: refusals,
  },
  {
    name: "sideways",
    rules: ["LL7"],
    file: "packages/core/src/media/normalise.ts",
    find: "upright: (found.orientation ?? 1) === 1",
    replace: "upright: (found.orientation ?? 1) > 0",
    run: normalise,
  },
  {
    name: "bytes before they are base64",
    rules: ["LL7"],
    file: "packages/core/src/media/encodings.ts",
    find: "encodedBytes(bytes) <= imageEncodedBytesMax",
    replace: "bytes <= imageEncodedBytesMax",
    run: tests("packages/core/test/media/encodings.test.ts"),
  },
  {
    name: "an image for a model that reads none",
    rules: ["LL7"],
    file: "packages/llm/src/image/sight.ts",
    find: "target.options.traits.withoutImages === true",
    replace: "target.options.traits.withoutImages === false",
    run: tests("packages/llm/test/image/sight.test.ts"),
  },
  {
    name: "all images for ever",
    rules: ["LL7"],
    file: "packages/recall/src/images.ts",
    find: "  if (within(all, 1)) return null",
    replace: "  if (within(all, Number.POSITIVE_INFINITY)) return null",
    run: shown,
  },
  {
    name: "a name for an image in the user's voice",
    rules: ["LL7"],
    file: "packages/recall/src/entries.ts",
    find: '{ kind: "notice", text: lines',
    replace: '{ kind: "user", text: lines',
    run: shown,
  },
  {
    name: "a poisoned record that stays",
    rules: ["LL7"],
    file: "packages/recall/src/entries.ts",
    find: 'return message.kind === "assistant" ? withoutWords(message) : [quarantinedEntry]',
    replace: 'if (message.kind === "assistant") return withoutWords(message)',
    run: session,
  },
  {
    name: "a drain that remembers what was taken out",
    rules: ["LL7"],
    file: "packages/schema/src/state/state.ts",
    find: "messages: state.messages.map((message) => takeOut(message, fact.message, seq))",
    replace: "messages: state.messages",
    run: session,
  },
  {
    name: "other images, the same prompt",
    rules: ["PR2"],
    file: "packages/store/src/admission.ts",
    find: 'hash("sha256", text + shown + made)',
    replace: 'hash("sha256", text + made)',
    run: contract("PR2"),
  },
  {
    name: "an image that is counted and not sent",
    rules: ["LL7"],
    file: "packages/llm/src/request/media-hole.ts",
    find: "    filled[piece] = Buffer.from(",
    replace: "    filled[piece + body.length] = Buffer.from(",
    run: session,
  },
  {
    name: "a refused request with images named that no record names",
    rules: ["TU1"],
    file: "packages/recall/src/last-tier.ts",
    find: "  return stuck(question, floor)",
    replace: "  return { ...stuck(question, floor), encoded: before }",
    run: shown,
  },
]
