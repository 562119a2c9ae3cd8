/** The contract itself: what the server says that it hosts, and that it hosts exactly this (CO1–CO5). */
import { contractVersion } from "@holdfast/client"
import type { Case } from "../case.ts"
import { documented, everyOperation, type JsonSchema } from "../contract.ts"
import { expectEqual, expectFailure, expectRefusal, expectStatus, expectTrue, show } from "../expect.ts"
import { absentIds } from "./ids.ts"

const needs = ["raw"] as const

const perOperation: readonly Case[] = everyOperation.map((operation) => ({
  rule: "CO5",
  title: `${operation.name} is ${operation.method} ${operation.path} in the server's document`,
  needs,
  run: async ({ document }) => {
    const found = documented(await document(), operation)
    expectTrue(`the document has no ${operation.method} ${operation.path}`, found !== undefined)
    expectEqual("its name", found?.operationId, operation.name)
    const statuses = Object.keys(found?.responses ?? {})
    expectTrue(
      `no answer 2xx among ${show(statuses)}`,
      statuses.some((status) => status.startsWith("2")),
    )
    expectTrue(`no answer 401 among ${show(statuses)}`, statuses.includes("401"))
  },
}))

const documentCases: readonly Case[] = [
  {
    rule: "CO2",
    title: "the document is OpenAPI 3.1 and can be read without a token",
    needs,
    run: async ({ ask }) => {
      const answer = await ask("/openapi.json", { headers: { authorization: null } })
      expectStatus("/openapi.json", answer, 200)
      const { openapi } = answer.json as { readonly openapi?: string }
      expectTrue(`expected 3.1, got ${show(openapi)}`, openapi?.startsWith("3.1") === true)
    },
  },
  {
    rule: "CO2",
    title: "every reference in the document leads somewhere",
    needs,
    run: async ({ document }) => {
      const whole = await document()
      const schemas = whole.components?.schemas ?? {}
      const references = [
        ...JSON.stringify(whole.paths).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g),
      ]
      const lost = references
        .map(([, name]) => decodeURIComponent(name ?? ""))
        .filter((name) => !(name in schemas))
      expectEqual("references that lead nowhere", lost, [])
    },
  },
  {
    rule: "CO2",
    title: "every operation of the document has a name of its own",
    needs,
    run: async ({ document }) => {
      const names = Object.values((await document()).paths).flatMap((methods) =>
        Object.values(methods).map(({ operationId }) => operationId),
      )
      expectEqual(
        "names that come twice or are missing",
        names.filter((name, nth) => name === undefined || names.indexOf(name) !== nth),
        [],
      )
    },
  },
  {
    rule: "CO2",
    title: "the document says that every operation requires a token",
    needs,
    run: async ({ document }) => {
      const { paths, security = [] } = await document()
      const open = Object.values(paths)
        .flatMap((methods) => Object.values(methods))
        .filter((operation) => (operation.security ?? security).length === 0)
      expectEqual(
        "operations without a token",
        open.map(({ operationId }) => operationId),
        [],
      )
    },
  },
  {
    rule: "CO2",
    title: "no payload of the document takes fields that it does not name",
    needs,
    run: async ({ document }) => {
      const open: string[] = []
      for (const methods of Object.values((await document()).paths))
        for (const { operationId = "", requestBody } of Object.values(methods)) {
          const schema = requestBody?.content?.["application/json"]?.schema as
            | (JsonSchema & { readonly additionalProperties?: unknown })
            | undefined
          if (schema?.properties !== undefined && schema.additionalProperties !== false)
            open.push(operationId)
        }
      expectEqual("payloads that take more", open, [])
    },
  },
  {
    rule: "CO5",
    title: "groups have plural names",
    needs,
    run: async ({ document }) => {
      const groups = new Set(
        Object.values((await document()).paths).flatMap((methods) =>
          Object.values(methods).map(({ operationId = "" }) => operationId.split(".")[0] ?? ""),
        ),
      )
      const singular = [...groups].filter((group) => !group.endsWith("s") && !uncounted.has(group))
      expectEqual("groups of one", singular, [])
    },
  },
  {
    rule: "CO1",
    title: "a path beyond the contract is RouteNotFound",
    needs,
    run: async ({ ask }) => {
      for (const path of ["/api", "/api/", "/api/sessions", "/api/../api/nothing", "/nothing"])
        expectRefusal(path, await ask(path), "RouteNotFound")
    },
  },
  {
    rule: "CO1",
    title: "paths are case-sensitive, and a slash at the end is another path",
    needs,
    run: async ({ ask }) => {
      for (const path of ["/API/health", "/api/Health", "/api/health/"])
        expectRefusal(path, await ask(path), "RouteNotFound")
    },
  },
  {
    rule: "CO1",
    title: "answers are JSON and say so",
    needs,
    run: async ({ ask }) => {
      for (const path of ["/api/health", "/api/session", "/api/session/x", "/api/nothing"]) {
        const { headers, json } = await ask(path)
        expectTrue(`${path} is ${headers.get("content-type")}`, json !== null)
      }
    },
  },
]

/** Groups whose name is of one thing. */
const uncounted: ReadonlySet<string> = new Set(["health", "config"])

const behaviour: readonly Case[] = [
  {
    rule: "EV1",
    title: "health names the version of the contract",
    run: async ({ client }) => {
      const health = await client.health.get()
      expectEqual("contract", health.contract, contractVersion)
      expectTrue("health names no version", typeof health.version === "string" && health.version !== "")
    },
  },
  {
    rule: "CO3",
    title: "sessions.create without a directory works in the default one, every time the same",
    run: async ({ client, session }) => {
      const [one, other] = [await session(), await session()]
      expectEqual("the Location", other.location, one.location)
      expectTrue("the directory is empty", one.location.directory !== "")
      expectEqual("the Session as it is read", await client.sessions.get({ sessionID: one.id }), one)
    },
  },
  {
    rule: "CO3",
    title: "sessions.create takes a directory that is known",
    run: async ({ session }) => {
      const { location } = await session()
      expectEqual("the Location", (await session({ directory: location.directory })).location, location)
    },
  },
  {
    rule: "CO3",
    title: "sessions.create with a directory that does not exist is a typed failure that names it",
    run: async ({ client }) => {
      const directory = "/no/such/place/of-holdfast-conformance"
      const failure = await expectFailure(
        "the failure",
        client.sessions.create({ directory }),
        "LocationMissing",
      )
      expectTrue(`it does not name it: ${show(failure)}`, JSON.stringify(failure).includes(directory))
    },
  },
  {
    rule: "CO3",
    title: "sessions.create refuses an empty directory, one that is no text and one that is too long",
    run: async ({ client }) => {
      for (const directory of ["", 7, null, `/${"a".repeat(5_000)}`])
        await expectFailure(
          `the directory ${show(directory)}`,
          client.sessions.create({ directory: directory as string }),
          "InvalidRequest",
        )
    },
  },
  {
    rule: "CO4",
    title: "sessions.switchModel of an absent Session is SessionNotFound",
    run: async ({ client, skip }) => {
      const model = await modelName(client, skip)
      const call = client.sessions.switchModel({ sessionID: absentIds["sessionID"] ?? "", model })
      await expectFailure("an absent Session", call, "SessionNotFound")
    },
  },
  {
    rule: "CO4",
    title: "sessions.switchModel to an unknown model is a typed failure, and changes nothing",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const before = await client.sessions.get({ sessionID })
      for (const model of ["none/none", "none", "/", "", "a/", "/a"])
        await expectFailure(
          `the model ${show(model)}`,
          client.sessions.switchModel({ sessionID, model }),
          "ModelNotFound",
          "InvalidRequest",
        )
      expectEqual("the Session", await client.sessions.get({ sessionID }), before)
    },
  },
  {
    rule: "CO4",
    title: "repeating the current choice of a model changes nothing",
    run: async ({ client, session, skip }) => {
      const model = await modelName(client, skip)
      const { id: sessionID } = await session()
      const first = await client.sessions.switchModel({ sessionID, model })
      expectEqual("the Session", await client.sessions.switchModel({ sessionID, model }), first)
    },
  },
  {
    rule: "CO4",
    title: "sessions.switchAgent takes a built-in agent, and repeating the choice changes nothing",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const first = await client.sessions.switchAgent({ sessionID, agent: "plan" })
      expectEqual("the agent", first.agent, "plan")
      expectEqual("the Session", await client.sessions.switchAgent({ sessionID, agent: "plan" }), first)
    },
  },
  {
    rule: "CO4",
    title: "sessions.switchAgent to an unknown agent is AgentNotFound, and changes nothing",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const before = await client.sessions.get({ sessionID })
      const call = client.sessions.switchAgent({ sessionID, agent: "nobody-of-that-name" })
      await expectFailure("an unknown agent", call, "AgentNotFound")
      expectEqual("the Session", await client.sessions.get({ sessionID }), before)
    },
  },
  {
    rule: "CO4",
    title: "the model that was switched to is the one of the next turn",
    run: async ({ client, session, skip }) => {
      const model = await modelName(client, skip)
      const { id: sessionID } = await session()
      const switched = await client.sessions.switchModel({ sessionID, model })
      expectEqual("the model of the Session", `${switched.model?.provider}/${switched.model?.model}`, model)
      const shown = await client.sessions.model({ sessionID })
      expectTrue(
        `another one answers: ${show(shown)}`,
        shown.insteadOf !== undefined || `${shown.provider}/${shown.model}` === model,
      )
    },
  },
]

type ModelReader = {
  readonly models: { readonly get: () => Promise<{ readonly provider: string; readonly model: string }> }
}

async function modelName({ models }: ModelReader, skip: (reason: string) => never): Promise<string> {
  try {
    const { provider, model } = await models.get()
    return `${provider}/${model}`
  } catch {
    // A server without a model is a Holdfast too.
    return skip("There is no model that could be chosen.")
  }
}

export const contractCases: readonly Case[] = [...documentCases, ...behaviour, ...perOperation]
