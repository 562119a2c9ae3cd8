/** Things that are not there, and how that is told (PG2, PG4, CL2). */
import { isFailure, isSessionNotFound } from "@holdfast/client"
import type { Case } from "../case.ts"
import { everyOperation } from "../contract.ts"
import { expectEqual, expectFailure, expectTrue, rejectionOf, show } from "../expect.ts"
import { callByName } from "../stage.ts"
import { absentIds } from "./ids.ts"

const sessionID = absentIds["sessionID"] ?? ""

/** Operations that take nothing but the id of a Session: each tells its absence alike, through the client. */
const perOperation: readonly Case[] = everyOperation
  .filter(
    ({ params, rest, answer }) =>
      params.join() === "sessionID" && rest !== "payload" && answer !== "events" && answer !== "byte-stream",
  )
  .map((operation) => ({
    rule: "CL2",
    title: `${operation.name} rejects with a plain SessionNotFound that names the Session`,
    run: async ({ client }) => {
      const call = callByName(client, operation, { sessionID }) as Promise<unknown>
      const failure = await expectFailure("an absent Session", call, "SessionNotFound")
      expectEqual("the Session that it names", failure["session"], sessionID)
      expectTrue("it is no plain object", Object.getPrototypeOf(failure) === Object.prototype)
    },
  }))

const single: readonly Case[] = [
  {
    rule: "PG2",
    title: "a message of an absent Session is SessionNotFound",
    run: async ({ client }) => {
      const call = client.sessions.message({ sessionID, messageID: absentIds["messageID"] ?? "" })
      await expectFailure("the message", call, "SessionNotFound")
    },
  },
  {
    rule: "PG2",
    title: "an absent message is MessageNotFound",
    run: async ({ client, session }) => {
      const { id } = await session()
      const messageID = absentIds["messageID"] ?? ""
      await expectFailure(
        "the message",
        client.sessions.message({ sessionID: id, messageID }),
        "MessageNotFound",
      )
      await expectFailure(
        "its quarantine",
        client.sessions.quarantine({ sessionID: id, messageID }),
        "MessageNotFound",
      )
    },
  },
  {
    rule: "PG4",
    title: "an absent turn is TurnNotFound",
    run: async ({ client, session }) => {
      const { id } = await session()
      const call = client.sessions.sentRequest({ sessionID: id, turnID: absentIds["turnID"] ?? "" })
      await expectFailure("the turn", call, "TurnNotFound")
    },
  },
  {
    rule: "PG4",
    title: "an absent image is ImageNotFound",
    run: async ({ client, session }) => {
      const { id } = await session()
      const call = client.sessions.image({ sessionID: id, handle: absentIds["handle"] ?? "" })
      await expectFailure("the image", call, "ImageNotFound")
    },
  },
  {
    rule: "PG4",
    title: "a model that is not there is ModelNotFound",
    run: async ({ client }) => {
      for (const model of ["none/none", "none", "/", "a/"])
        await expectFailure(
          `the model ${model}`,
          client.models.get({ model }),
          "ModelNotFound",
          "InvalidRequest",
        )
    },
  },
  {
    rule: "CL2",
    title: "a failure is recognised by its tag alone, also as a copy",
    run: async ({ client }) => {
      const failure = await rejectionOf(client.sessions.get({ sessionID }))
      for (const copy of [structuredClone(failure), JSON.parse(JSON.stringify(failure)) as unknown])
        expectTrue(
          `not recognised: ${show(copy)}`,
          isFailure(copy, "SessionNotFound") && isSessionNotFound(copy),
        )
    },
  },
  {
    rule: "CL2",
    title: "a failure is told with a sentence for people",
    run: async ({ client }) => {
      const failure = await expectFailure(
        "the failure",
        client.sessions.get({ sessionID: "odd" }),
        "InvalidId",
      )
      expectTrue(`its message is ${show(failure["message"])}`, /\w.*[.!?]$/s.test(String(failure["message"])))
    },
  },
]

const planned: readonly Case[] = [
  {
    rule: "PG3",
    title: "the next request of a new Session is told segment by segment",
    run: async ({ client, session }) => {
      const { id } = await session()
      await client.sessions.prompt({ sessionID: id, text: "Hello", resume: false })
      const request = await client.sessions.request({ sessionID: id })
      expectEqual("its Session", request.session, id)
      for (const { name, source, why, tokens, tokensCached } of request.segments) {
        expectTrue(`the segment ${name} has no source or reason`, source !== "" && why !== "")
        expectTrue(
          `the segment ${name} has ${tokens} tokens, ${tokensCached} cached`,
          tokens >= tokensCached && tokensCached >= 0,
        )
      }
    },
  },
  {
    rule: "PG3",
    title: "the next request tells what each block says where that is asked for, and not otherwise",
    run: async ({ client, session }) => {
      const { id } = await session()
      await client.sessions.prompt({ sessionID: id, text: "Hello", resume: false })
      const short = await client.sessions.request({ sessionID: id })
      const whole = await client.sessions.request({ sessionID: id, content: true })
      const contents = ({ segments }: typeof short) =>
        segments.flatMap(({ blocks }) => blocks.map(({ content }) => content))
      expectEqual("its hash", whole.hash, short.hash)
      expectTrue(
        "a block has content",
        contents(short).every((content) => content === undefined),
      )
      expectTrue(
        "a block has no content",
        contents(whole).every((content) => content !== undefined),
      )
    },
  },
  {
    rule: "PG3",
    title: "looking at the next request changes nothing, and twice shows the same",
    run: async ({ client, session }) => {
      const { id } = await session()
      await client.sessions.prompt({ sessionID: id, text: "Hello", resume: false })
      const before = await client.sessions.get({ sessionID: id })
      const [one, other] = [
        await client.sessions.request({ sessionID: id }),
        await client.sessions.request({ sessionID: id }),
      ]
      expectEqual("the second look", other.hash, one.hash)
      expectEqual("the Session", await client.sessions.get({ sessionID: id }), before)
    },
  },
  {
    rule: "PG3",
    title: "the context of a new Session is a Page of messages",
    run: async ({ client, session }) => {
      const { id } = await session()
      const { items } = await client.sessions.context({ sessionID: id })
      expectTrue(
        `it holds ${show(items)}`,
        items.every(({ kind }) => ["user", "assistant", "system", "notice"].includes(kind)),
      )
    },
  },
]

export const failureCases: readonly Case[] = [...single, ...planned, ...perOperation]
