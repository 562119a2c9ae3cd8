/** What is said of an input that does not fit, word for word. */
import { Result, Schema } from "effect"
import { expect, test } from "vitest"
import { fileInputs, ptyInputs, sessionInputs } from "../src/input.ts"
import { memoryInputs, noteInputs } from "../src/input-memory.ts"
import { noPathField, noSuchField, unfit } from "../src/misfit.ts"

const { create, prompt, probe, list, messages, update } = sessionInputs

const cases: readonly (readonly [schema: Schema.Top, given: unknown, message: string])[] = [
  [create.payload, { tilte: "A" }, 'There is no field "tilte". Did you mean "title"?'],
  [create.payload, { directroy: "/tmp" }, 'There is no field "directroy". Did you mean "directory"?'],
  [
    update.payload,
    { columns: 80 },
    'There is no field "columns". There are title, policy, onAsk, allow and budget.',
  ],
  [
    create.payload,
    { budget: { tokenz: 1 } },
    'There is no field "tokenz" in "budget". Did you mean "tokens"?',
  ],
  [
    prompt.payload,
    { text: "A", images: [{ data: "", nam: "b" }] },
    'There is no field "nam" in "images[0]". Did you mean "name"?',
  ],
  [
    memoryInputs.write.payload,
    { text: " \n", category: "NAMING" },
    'The field "text" must be a text that is not blank.',
  ],
  [
    memoryInputs.write.payload,
    { text: "\u200b\u2060\u3164 ", category: "NAMING" },
    'The field "text" must be a text that is not blank.',
  ],
  [noteInputs.write.payload, { text: "  " }, 'The field "text" must be a text that is not blank.'],
  [ptyInputs.create.payload, { env: { "=": "x" } }, 'There is no field "=" in "env".'],
  [prompt.payload, {}, 'The field "text" is missing.'],
  [probe.payload, { without: [] }, 'The field "without[0]" is missing.'],
  [create.payload, { title: 7 }, 'The field "title" must be a text.'],
  [update.payload, { title: 7 }, 'The field "title" must be a text or null.'],
  [
    create.payload,
    { title: "a".repeat(1_001) },
    'The field "title" must be a text of at most 1000 characters.',
  ],
  [create.payload, { title: "a\ud800b" }, 'The field "title" must be well-formed Unicode.'],
  [create.payload, { directory: "" }, 'The field "directory" must be a text that is not empty.'],
  [create.payload, { policy: "ignore" }, 'The field "policy" must be "settle" or "continue".'],
  [create.payload, { budget: { tokens: -1 } }, 'The field "budget.tokens" must be a value greater than 0.'],
  [create.payload, { budget: { tokens: "x" } }, 'The field "budget.tokens" must be a number or null.'],
  [prompt.payload, { text: "A", images: 7 }, 'The field "images" must be a list.'],
  [prompt.payload, { text: "A", images: [{ data: "?" }] }, 'The field "images[0].data" must be base64.'],
  [prompt.payload, { text: "A", resume: "no" }, 'The field "resume" must be true or false.'],
  [create.payload, [], "The payload must be an object."],
  [list.query, { limit: "201" }, 'The field "limit" must be a whole number from 1 to 200.'],
  [list.query, { limit: "ten" }, 'The field "limit" must be a whole number.'],
  [
    list.query,
    { cursor: "a", limit: "2" },
    "The payload must be a cursor alone, without limit or anything else.",
  ],
  [messages.query, { system: "maybe" }, 'The field "system" must be "true" or "false".'],
  [messages.query, { order: "up" }, 'The field "order" must be "oldest-first" or "newest-first".'],
  [
    fileInputs.read.query,
    { length: "0", path: "a" },
    'The field "length" must be a whole number from 1 to 1048576.',
  ],
]

test.each(cases)("[CO3] %# is told in plain words", (schema, given, message) => {
  const codec = schema as unknown as Schema.Codec<unknown, unknown>
  const read = Schema.decodeUnknownResult(codec, { onExcessProperty: "error" })(given)
  expect(Result.isFailure(read) && unfit("payload", read.failure.issue)).toMatchObject({
    _tag: "InvalidRequest",
    part: "payload",
    message,
  })
})

test("[CO3] a name of any length makes a short message, and no value is quoted", () => {
  const read = Schema.decodeUnknownResult(create.payload, { onExcessProperty: "error" })
  const long = read({ ["a\n".repeat(10_000)]: "secret" } as never)
  const { message } = Result.isFailure(long) ? unfit("payload", long.failure.issue) : { message: "" }
  expect(message).toMatch(/^There is no field "a a a /)
  expect(message.length).toBeLessThan(400)
  expect(message).not.toContain("secret")
})

test("[CO3] what has no place at all, and what a path lacks", () => {
  expect(noSuchField("force").message).toBe(
    'There is no field "force". This operation takes no others than those of its path.',
  )
  expect(noPathField("sessionID", undefined).message).toBe('The field "sessionID" is missing.')
  expect(noPathField("sessionID", 7).message).toBe('The field "sessionID" must be a text.')
})
