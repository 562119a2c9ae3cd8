/**
 * Bad input of every operation, made from the contract: answered 4xx with a typed body, never 5xx,
 * and nothing changes (CO1, PG1, PG4). Ids of a Session that is not there make sure that a server
 * which takes what it should refuse does no harm.
 */
import { strict as assert } from "node:assert"
import type { Case } from "../case.ts"
import {
  type ContractDocument,
  everyOperation,
  inputFieldsOf,
  type JsonSchema,
  type NamedOperation,
  sampleOf,
  takenTypes,
} from "../contract.ts"
import { expectEqual, expectNoDefect, expectRefusal, expectTrue, show } from "../expect.ts"
import { badPayload, makeRandom } from "../generate.ts"
import { type Answer, type Asked, pathOf, type Stage } from "../stage.ts"
import { absentIds } from "./ids.ts"

const megabyte = 1_000_000
const nestingDepth = 50_000
const needs = ["raw"] as const

type Fields = Readonly<Record<string, unknown>>

/** An operation with these fields where its fields go. */
function askWith(
  { ask }: Stage,
  operation: NamedOperation,
  fields: Fields,
  ids: Readonly<Record<string, string>> = absentIds,
): Promise<Answer> {
  const path = pathOf(operation, ids)
  const { method, rest } = operation
  if (rest === "payload") return ask(path, { method, payload: fields })
  const query = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return ask(query.length === 0 ? path : `${path}?${query.join("&")}`, { method })
}

const sample = (document: ContractDocument, operation: NamedOperation): Fields =>
  sampleOf(document, operation) ?? {}

/** A Session with a prompt that waits, and proof that nothing changed it. */
async function bystander(stage: Stage): Promise<{
  readonly ids: Readonly<Record<string, string>>
  readonly expectUnchanged: () => Promise<void>
}> {
  const { id: sessionID } = await stage.session()
  const text = "This waits."
  const { prompt } = await stage.client.sessions.prompt({ sessionID, text, resume: false })
  const look = async () => ({
    session: await stage.client.sessions.get({ sessionID }),
    inbox: await stage.client.sessions.inbox({ sessionID }),
    events: await stage.client.sessions.history({ sessionID }),
    messages: await stage.client.sessions.messages({ sessionID, system: true }),
  })
  const before = await look()
  return {
    ids: { ...known(absentIds), sessionID, promptID: prompt },
    expectUnchanged: async () => expectEqual("the Session after it", await look(), before),
  }
}

/** A copy that still answers for names that are not listed. */
const known = (ids: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(everyOperation.flatMap(({ params }) => params).map((name) => [name, ids[name] ?? ""]))

const unknownField = (operation: NamedOperation): Case => ({
  rule: "CO1",
  title: `${operation.name} refuses a field that it does not know`,
  needs,
  run: async (stage) => {
    const given = JSON.stringify(sample(await stage.document(), operation))
    for (const name of ["noSuchField", "__proto__", "constructor"]) {
      // As a text: a field of such a name cannot be set as others are.
      const fields = JSON.parse(`${given.slice(0, -1)}${given === "{}" ? "" : ","}"${name}":1}`) as Fields
      const answer = await askWith(stage, operation, fields)
      expectRefusal(`the field ${name}`, answer, "InvalidRequest")
    }
  },
})

const wrongValues: readonly (readonly [type: string, value: unknown])[] = [
  ["number", 7],
  ["null", null],
  ["boolean", true],
  ["array", [[]]],
  ["object", { a: 1 }],
  ["string", "\u0001"],
]

const wrongTypes = (operation: NamedOperation): Case => ({
  rule: "CO1",
  title: `${operation.name} refuses values of a wrong type`,
  needs,
  run: async (stage) => {
    const document = await stage.document()
    const given = sample(document, operation)
    for (const [name, schema] of Object.entries(inputFieldsOf(document, operation)))
      for (const value of wrongFor(document, operation, schema)) {
        const answer = await askWith(stage, operation, { ...given, [name]: value })
        expectRefusal(`${name} = ${show(value)}`, answer, "InvalidRequest")
      }
  },
})

/** In a query everything is text, so only what must not be free text can be of a wrong type there. */
function wrongFor(
  document: ContractDocument,
  { rest }: NamedOperation,
  schema: JsonSchema,
): readonly unknown[] {
  const taken = takenTypes(document, schema)
  if (rest === "payload") return wrongValues.filter(([type]) => !taken.has(type)).map(([, value]) => value)
  return taken.has("string") && schema.enum === undefined ? [] : ["", "odd", "1.5", "[]", "-1"]
}

const notAnObject = (operation: NamedOperation): Case => ({
  rule: "CO1",
  title: `${operation.name} refuses a payload that is no JSON object`,
  needs,
  run: async (stage) => {
    for (const body of ["", "{", "null", "[]", "7", '"text"', "{]", "\u0000", '{"a":1}{"a":1}']) {
      const answer = await stage.ask(pathOf(operation, absentIds), {
        method: operation.method,
        body,
        headers: json,
      })
      expectRefusal(`the payload ${JSON.stringify(body)}`, answer, "InvalidRequest")
    }
  },
})

const json = { "content-type": "application/json" }

const otherContentType = (operation: NamedOperation): Case => ({
  rule: "CO1",
  title: `${operation.name} refuses a payload that says it is no JSON`,
  needs,
  run: async (stage) => {
    const body = JSON.stringify(sample(await stage.document(), operation))
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const asked: Asked = { method: operation.method, body, headers: { "content-type": type } }
      expectRefusal(type, await stage.ask(pathOf(operation, absentIds), asked), "ContentTypeRefused")
    }
  },
})

const loneSurrogates = (operation: NamedOperation): Case => ({
  rule: "CO1",
  title: `${operation.name} answers half a surrogate pair 4xx`,
  needs,
  run: async (stage) => {
    const document = await stage.document()
    const given = sample(document, operation)
    const { ids, expectUnchanged } = await bystander(stage)
    for (const [name, schema] of Object.entries(inputFieldsOf(document, operation))) {
      if (operation.rest === "payload") {
        if (!takenTypes(document, schema).has("string")) continue
        const answer = await askWith(stage, operation, { ...given, [name]: "a\ud800b" }, ids)
        expectRefusal(`${name} with half a pair`, answer)
        continue
      }
      const answer = await stage.ask(`${pathOf(operation, absentIds)}?${name}=%ED%A0%80`, {
        method: operation.method,
      })
      expectNoDefect(`${name} with half a pair`, answer)
    }
    for (const param of operation.params) {
      const path = pathOf(operation, { ...ids, [param]: "HALF" }).replace("HALF", "%ED%A0%80")
      expectRefusal(
        `${param} with half a pair`,
        await stage.ask(path, { method: operation.method, ...payloadOf(operation, given) }),
      )
    }
    await expectUnchanged()
  },
})

const payloadOf = ({ rest }: NamedOperation, payload: Fields): Asked =>
  rest === "payload" ? { payload } : {}

const tooLarge = (operation: NamedOperation): Case => ({
  rule: "CO1",
  title: `${operation.name} answers 10 MB 4xx`,
  needs,
  run: async (stage) => {
    const document = await stage.document()
    const { ids, expectUnchanged } = await bystander(stage)
    const name = Object.entries(inputFieldsOf(document, operation)).find(([, schema]) =>
      takenTypes(document, schema).has("string"),
    )?.[0]
    const payload = { ...sample(document, operation), [name ?? "text"]: "a".repeat(10 * megabyte) }
    const answer = await stage.ask(pathOf(operation, ids), { method: operation.method, payload })
    expectRefusal("10 MB", answer)
    await expectUnchanged()
  },
})

const unreadPayload = (operation: NamedOperation): Case => ({
  rule: "CO1",
  title: `${operation.name} refuses a payload, for it takes none`,
  needs,
  run: async (stage) => {
    const { method } = operation
    const answer = await stage.ask(pathOf(operation, absentIds), { method, payload: { noSuchField: 1 } })
    expectRefusal("a payload", answer, "InvalidRequest")
  },
})

const longQuery = (operation: NamedOperation): Case => ({
  rule: "CO1",
  title: `${operation.name} answers a query of 12 KB 4xx`,
  needs,
  run: async ({ ask }) => {
    const answer = await ask(`${pathOf(operation, absentIds)}?noSuchField=${"a".repeat(12_000)}`, {
      method: operation.method,
    })
    expectRefusal("a long query", answer)
  },
})

const deepNesting = (operation: NamedOperation): Case => ({
  rule: "CO1",
  title: `${operation.name} refuses ${nestingDepth} arrays in each other`,
  needs,
  run: async (stage) => {
    const document = await stage.document()
    const { ids, expectUnchanged } = await bystander(stage)
    const deep = "[".repeat(nestingDepth) + "]".repeat(nestingDepth)
    const fields = Object.keys(inputFieldsOf(document, operation))
    for (const body of [deep, ...fields.map((name) => `{${JSON.stringify(name)}:${deep}}`)]) {
      const answer = await stage.ask(pathOf(operation, ids), {
        method: operation.method,
        body,
        headers: json,
      })
      expectRefusal(`the payload ${show(body)}`, answer, "InvalidRequest")
    }
    await expectUnchanged()
  },
})

const oddIds = [
  "x",
  "ses_",
  "SES_ABC",
  "ses_a/b",
  "../..",
  "\u0000",
  "💥",
  "ses_a'--",
  "a".repeat(1_000),
  "%",
  " ",
]

const foreignIds = (operation: NamedOperation): Case => ({
  rule: "PG4",
  title: `${operation.name} answers ids that are none with a typed failure`,
  needs,
  run: async (stage) => {
    const given = sample(await stage.document(), operation)
    const { ids, expectUnchanged } = await bystander(stage)
    for (const param of operation.params)
      for (const id of oddIds) {
        const answer = await askWith(stage, operation, given, { ...ids, [param]: id })
        expectRefusal(`${param} = ${show(id)}`, answer)
      }
    await expectUnchanged()
  },
})

const absentSession = (operation: NamedOperation): Case => ({
  rule: operation.name === "sessions.events" || operation.name === "sessions.history" ? "EV4" : "PG4",
  title: `${operation.name} of a Session that is not there is a typed failure`,
  needs,
  run: async (stage) => {
    const answer = await askWith(stage, operation, sample(await stage.document(), operation))
    const isPlain = operation.params.length === 1 && operation.rest !== "payload"
    expectRefusal("an absent Session", answer, ...(isPlain ? ["SessionNotFound"] : []))
  },
})

const forgedCursors = (operation: NamedOperation): Case => ({
  rule: "PG1",
  title: `${operation.name} refuses forged cursors`,
  needs,
  run: async (stage) => {
    const { ids, expectUnchanged } = await bystander(stage)
    const forged = ["", "x", "null", "e30", btoa('{"seq":1}'), "a".repeat(4_000), "💥", "..", "'--"]
    for (const cursor of forged) {
      const answer = await askWith(stage, operation, { cursor }, ids)
      expectRefusal(`the cursor ${show(cursor)}`, answer, "InvalidCursor", "InvalidRequest")
    }
    await expectUnchanged()
  },
})

const generated = (operation: NamedOperation): Case => ({
  rule: "CO1",
  title: `${operation.name} refuses generated payloads`,
  needs,
  run: async (stage) => {
    const document = await stage.document()
    const random = makeRandom(stage.seed, operation.name)
    const fields = inputFieldsOf(document, operation)
    const given = sample(document, operation)
    for (let nth = 0; nth < stage.inputs; nth++) {
      const body = badPayload(
        random,
        given,
        (name) => takenTypes(document, fields[name] ?? {}),
        Object.keys(fields),
      )
      const answer = await stage.ask(pathOf(operation, absentIds), {
        method: operation.method,
        body,
        headers: json,
      })
      expectRefusal(`the payload ${show(body)} (seed ${stage.seed}, number ${nth})`, answer, "InvalidRequest")
    }
  },
})

const otherMethods = (path: string): Case => ({
  rule: "CO1",
  title: `${path} knows no method beyond the contract`,
  needs,
  run: async ({ ask }) => {
    const first = everyOperation.find((operation) => operation.path === path)
    assert(first !== undefined)
    // The word of a fixed path may be an id of another: `/memories/merge` is `/memories/{memoryID}` too.
    const taken = everyOperation.filter((operation) => covers(operation.path, path))
    for (const method of ["PUT", "POST", "PATCH", "DELETE", "OPTIONS"]) {
      if (taken.some((operation) => operation.method === method)) continue
      expectRefusal(method, await ask(pathOf(first, absentIds), { method }), "RouteNotFound")
    }
  },
})

function covers(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split("/"), path.split("/")]
  return (
    wanted.length === given.length && wanted.every((part, at) => /^[:{]/.test(part) || part === given[at])
  )
}

const creationLeavesNothing: Case = {
  rule: "CO3",
  title: "a refused sessions.create leaves no Session behind",
  needs,
  run: async ({ ask, client }) => {
    const title = `refused-${Math.random()}`
    for (const payload of [
      { title, noSuchField: 1 },
      { title, policy: "odd" },
      { title, directory: "/no/such/place" },
    ])
      expectRefusal(show(payload), await ask("/api/session", { method: "POST", payload }))
    const { items } = await client.sessions.list({ limit: 200 })
    expectTrue("a Session of that title is listed", !items.some((session) => session.title === title))
  },
}

const takesPayload = ({ rest }: NamedOperation): boolean => rest === "payload"
const takesNoPayload = ({ method, rest }: NamedOperation): boolean => method !== "GET" && rest !== "payload"
const takesBody = ({ method }: NamedOperation): boolean => method !== "GET"
const ofSession = ({ params }: NamedOperation): boolean => params.includes("sessionID")

const refusals: readonly Case[] = [
  creationLeavesNothing,
  ...everyOperation.map(unknownField),
  ...everyOperation.map(longQuery),
  ...everyOperation
    .filter(({ rest }) => rest !== undefined)
    .flatMap((one) => [wrongTypes(one), loneSurrogates(one)]),
  ...everyOperation
    .filter(takesPayload)
    .flatMap((one) => [notAnObject(one), otherContentType(one), generated(one)]),
  ...everyOperation.filter(takesPayload).map(deepNesting),
  ...everyOperation.filter(takesNoPayload).map(unreadPayload),
  ...everyOperation.filter(takesBody).map(tooLarge),
  ...everyOperation.filter(({ rest }) => rest === "query").map(forgedCursors),
  ...everyOperation.filter(({ params }) => params.length > 0).map(foreignIds),
  ...everyOperation.filter(ofSession).map(absentSession),
  ...[...new Set(everyOperation.map(({ path }) => path))].map(otherMethods),
]

export const inputCases: readonly Case[] = refusals.map((one) => ({ ...one, changesNothing: true }))
