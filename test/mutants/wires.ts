/** Lies about models: wires, options, fallback, keys. */
import { type Mutant, tests } from "./mutant.ts"

const fallback = tests("test/session/models/fallback.test.ts")
const hosted = tests("packages/llm/test/hosted.test.ts")

export const wiresMutants: readonly Mutant[] = [
  {
    name: "a field of the body over what the wire writes",
    rules: ["CA2"],
    file: "packages/llm/src/options.ts",
    find: "!denied.has(name) && !Object.hasOwn(written, name)",
    replace: "!Object.hasOwn(written, name)",
    run: tests("packages/llm/test/openai/responses-encode.test.ts"),
  },
  {
    name: "a fallback list without an end",
    rules: ["CA3"],
    file: "packages/core/src/session/fallback.ts",
    find: "next === undefined || switches >= list.length",
    replace: "next === undefined",
    run: fallback,
  },
  {
    name: "a model that never rests",
    rules: ["CA3"],
    file: "packages/core/src/session/fallback.ts",
    find: "until > nowMs && until <= nowMs + coolDownMsMax",
    replace: "until < nowMs",
    run: fallback,
  },
  {
    name: "a frame whose sum is not looked at",
    rules: ["LL6"],
    file: "packages/llm/src/bedrock-converse/event-frames.ts",
    find: "if (crc32(held.subarray(at, end)) !== held.readUInt32BE(end))",
    replace: "if (crc32(held.subarray(at, end)) < 0)",
    run: tests("packages/llm/test/bedrock/event-frames.test.ts"),
  },
  {
    name: "a hosted result for everybody",
    rules: ["LL8"],
    file: "packages/llm/src/anthropic-messages/entry.ts",
    find: "if (!isNativeTo(part.native, tag)) return false",
    replace: "if (!isNativeTo(part.native, tag)) return true",
    run: hosted,
  },
  {
    name: "a hosted tool that is dropped in silence",
    rules: ["LL8"],
    file: "packages/llm/src/request/hosted-tools.ts",
    find: "if ((model.hostedTools ?? []).length > 0) {",
    replace: "if ((model.hostedTools ?? []).length > 9) {",
    run: tests("packages/llm/test/hosted-tools.test.ts"),
  },
  {
    name: "hosted tools that a request does not declare",
    rules: ["CA2", "LL8"],
    file: "packages/llm/src/request/hosted-tools.ts",
    find: "(model.hostedTools ?? []).map(one)",
    replace: "(model.hostedTools ?? []).slice(1).map(one)",
    run: tests("packages/llm/test/hosted-tools.test.ts"),
  },
  {
    name: "a key file that others can read",
    rules: ["AU1"],
    file: "packages/core/src/config/credentials/private-file.ts",
    find: "(mode & ~0o600) !== 0",
    replace: "(mode & 0o002) !== 0",
    run: tests("packages/core/test/config/credentials.process.test.ts"),
  },
  {
    name: "a quoted secret that is told",
    rules: ["AU1"],
    file: "packages/core/src/config/credentials/credential.ts",
    find: 'hidden.replaceAll(secret, "[hidden]")',
    replace: "hidden",
    run: tests("packages/core/test/host/signed.process.test.ts"),
  },
  {
    name: "AWS keys past their end",
    rules: ["AU1"],
    file: "packages/core/src/config/credentials/credentials.ts",
    find: "expiresAtMs - expiryMarginMs",
    replace: "expiresAtMs + expiryMarginMs",
    run: tests("packages/core/test/config/aws-keys.process.test.ts"),
  },
  {
    name: "instructions in the user's voice",
    rules: ["LL2"],
    file: "packages/llm/src/openai-responses/encode.ts",
    find: "traits.systemRole === false ? null : instructionRole",
    replace: "null",
    run: tests("packages/llm/test/openai/responses-encode.test.ts"),
  },
  {
    name: "another model, another Epoch",
    rules: ["EP10"],
    file: "packages/core/src/session/turn.ts",
    find: "      state: { ...memory.state, seq: due.row.seq },",
    replace: `      state: {
        ...memory.state,
        seq: due.row.seq,
        epoch:
          memory.state.lastTurn?.started.model.provider === selection.target.provider ? memory.state.epoch : null,
      },`,
    run: tests("test/wires/switch.test.ts"),
  },
  {
    name: "the provider's own mark not counted",
    rules: ["TU7"],
    file: "packages/core/src/session/boundary.ts",
    find: "? { newestMarked: last.request.blocks - 1 }",
    replace: "? {}",
    run: { files: ["test/wires/scenarios.test.ts"], title: "cache write then read" },
  },
  {
    name: "words cut out of a frame that is not the same",
    rules: ["LL6"],
    file: "packages/llm/src/answer/delta-reader.ts",
    find: "    if (!same) this.#mould = null",
    replace: "    if (!same && this.#mould === null) this.#mould = null",
    run: tests(
      "packages/llm/test/answer/delta-reader.test.ts",
      "packages/llm/test/answer/frame-mould.test.ts",
    ),
  },
]
