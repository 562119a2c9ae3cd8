/** Names, paths, statuses and failures of the contract, pinned against literals. */
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { expect, test } from "vitest"
import {
  DurableEvents,
  failureStatus,
  HoldfastApi,
  LiveEvents,
  PtyEvents,
  TransportFailure,
  Unauthorized,
} from "../src/index.ts"

const document = OpenApi.fromApi(HoldfastApi)
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, OpenApi.OpenAPISpecOperation>).map(([method, operation]) => ({
    path,
    method,
    operation,
  })),
)

test("[CO5] operations keep their names, methods, paths and statuses", () => {
  const lines = operations.map(({ path, method, operation }) =>
    [operation.operationId, method.toUpperCase(), path, Object.keys(operation.responses).join(",")].join(" "),
  )
  expect(lines).toEqual([
    "health.get GET /api/health 200,400,401",
    "sessions.create POST /api/session 201,400,401,409,503",
    "sessions.list GET /api/session 200,400,401,503",
    "sessions.active GET /api/active 200,400,401",
    "sessions.get GET /api/session/{sessionID} 200,400,401,404,503",
    "sessions.update PATCH /api/session/{sessionID} 200,400,401,404,503",
    "sessions.delete DELETE /api/session/{sessionID} 204,400,401,404,503",
    "sessions.fork POST /api/session/{sessionID}/fork 201,400,401,404,409,503",
    "sessions.export GET /api/session/{sessionID}/export 200,400,401,404,503",
    "sessions.import POST /api/import 200,400,401,404,503",
    "sessions.move POST /api/session/{sessionID}/move 200,400,401,404,503",
    "sessions.archive POST /api/session/{sessionID}/archive 200,400,401,404,503",
    "sessions.prompt POST /api/session/{sessionID}/prompt 200,400,401,404,409,503",
    "sessions.inbox GET /api/session/{sessionID}/inbox 200,400,401,404,503",
    "sessions.edit PATCH /api/session/{sessionID}/inbox/{promptID} 200,400,401,404,409,503",
    "sessions.cancel DELETE /api/session/{sessionID}/inbox/{promptID} 200,400,401,404,409,503",
    "sessions.interrupt POST /api/session/{sessionID}/interrupt 204,400,401,404,503",
    "sessions.resume POST /api/session/{sessionID}/resume 200,400,401,404,409,503",
    "sessions.model GET /api/session/{sessionID}/model 200,400,401,404,503",
    "sessions.switchModel POST /api/session/{sessionID}/model 200,400,401,404,503",
    "sessions.switchAgent POST /api/session/{sessionID}/agent 200,400,401,404,503",
    "sessions.wait GET /api/session/{sessionID}/wait 200,400,401,404,503",
    "sessions.messages GET /api/session/{sessionID}/message 200,400,401,404,503",
    "sessions.message GET /api/session/{sessionID}/message/{messageID} 200,400,401,404,503",
    "sessions.quarantine POST /api/session/{sessionID}/message/{messageID}/quarantine 204,400,401,404,503",
    "sessions.fold POST /api/session/{sessionID}/fold 204,400,401,404,503",
    "sessions.flush POST /api/session/{sessionID}/flush 204,400,401,404,503",
    "sessions.rebuild POST /api/session/{sessionID}/rebuild 200,400,401,404,503",
    "sessions.receipts GET /api/session/{sessionID}/receipt 200,400,401,404,503",
    "sessions.probe POST /api/session/{sessionID}/probe 200,400,401,404,503",
    "sessions.image GET /api/session/{sessionID}/image/{handle} 200,400,401,404,503",
    "sessions.context GET /api/session/{sessionID}/context 200,400,401,404,503",
    "sessions.request GET /api/session/{sessionID}/request 200,400,401,404,503",
    "sessions.events GET /api/session/{sessionID}/event 200,400,401,404,503",
    "sessions.history GET /api/session/{sessionID}/history 200,400,401,404,503",
    "sessions.turns GET /api/session/{sessionID}/turn 200,400,401,404,503",
    "sessions.verify GET /api/session/{sessionID}/verify 200,400,401,404,503",
    "sessions.sentRequest GET /api/session/{sessionID}/turn/{turnID}/request 200,400,401,404,503",
    "asks.list GET /api/asks 200,400,401,404,503",
    "asks.answer POST /api/asks/{askID} 204,400,401,404,409,503",
    "events.subscribe GET /api/event 200,400,401,404,503",
    "models.get GET /api/model 200,400,401",
    "models.list GET /api/models 200,400,401",
    "ptys.create POST /api/pty 201,400,401,503",
    "ptys.list GET /api/pty 200,400,401",
    "ptys.get GET /api/pty/{ptyID} 200,400,401,404",
    "ptys.close DELETE /api/pty/{ptyID} 204,400,401,404",
    "ptys.resize POST /api/pty/{ptyID}/size 200,400,401,404,409",
    "ptys.write POST /api/pty/{ptyID}/input 204,400,401,404,409",
    "ptys.attach GET /api/pty/{ptyID}/output 200,400,401,404",
    "ptys.ticket POST /api/pty/{ptyID}/ticket 201,400,401,404",
    "locations.open POST /api/location 200,400,401,503",
    "locations.get GET /api/location 200,400,401,503",
    "locations.list GET /api/locations 200,400,401,503",
    "providers.list GET /api/providers 200,400,401",
    "files.list GET /api/files 200,400,401,404,503",
    "files.read GET /api/file 200,400,401,404,503",
    "files.find GET /api/files/find 200,400,401,404,503",
    "searches.find POST /api/searches 200,400,401,404,503",
    "searches.embed POST /api/searches/embeddings 200,400,401,404,503",
    "dreams.run POST /api/dreams 200,400,401,503",
    "dreams.list GET /api/dreams 200,400,401,503",
    "dreams.get GET /api/dreams/{runID} 200,400,401,404,503",
    "dreams.revert POST /api/dreams/{runID}/revert 200,400,401,404,503",
    "config.get GET /api/config 200,400,401,503",
    "memories.list GET /api/memories 200,400,401,503",
    "memories.write POST /api/memories 200,400,401,404,409,503",
    "memories.get GET /api/memories/{memoryID} 200,400,401,404,503",
    "memories.update PATCH /api/memories/{memoryID} 200,400,401,404,409,503",
    "memories.archive POST /api/memories/{memoryID}/archive 200,400,401,404,409,503",
    "memories.restore POST /api/memories/{memoryID}/restore 200,400,401,404,409,503",
    "memories.merge POST /api/memories/merge 200,400,401,404,409,503",
    "memories.project GET /api/project 200,400,401,503",
    "memories.share POST /api/project 200,400,401,409,503",
    "notes.list GET /api/notes 200,400,401,404,503",
    "notes.write POST /api/notes 200,400,401,404,409,503",
    "notes.update PATCH /api/notes/{noteID} 200,400,401,404,409,503",
    "notes.dismiss POST /api/notes/{noteID}/dismiss 200,400,401,404,409,503",
    "workspaces.list GET /api/workspaces 200,400,401,503",
    "workspaces.create POST /api/workspaces 200,400,401,404,409,503",
    "workspaces.share PATCH /api/workspaces/{workspace} 200,400,401,404,409,503",
    "workspaces.delete DELETE /api/workspaces/{workspace} 204,400,401,404,409,503",
    "workspaces.add POST /api/workspaces/{workspace}/add 200,400,401,404,409,503",
    "workspaces.remove POST /api/workspaces/{workspace}/remove 200,400,401,404,409,503",
  ])
})

test("[AU1] every operation asks for the token", () =>
  expect(operations.filter(({ operation }) => operation.security.length !== 1)).toEqual([]))

test("each failure has one status", () =>
  expect(failureStatus).toEqual({
    InvalidRequest: 400,
    NotSupported: 400,
    InvalidCursor: 400,
    InvalidId: 400,
    PromptRefused: 400,
    AnswerRefused: 400,
    RuleInvalid: 400,
    LocationMissing: 400,
    LocationUnknown: 400,
    PathOutside: 400,
    PathRefused: 400,
    ModelNotFound: 400,
    AgentNotFound: 400,
    ConfigurationInvalid: 400,
    PtyRefused: 400,
    Unauthorized: 401,
    CallerRefused: 403,
    RouteNotFound: 404,
    SessionNotFound: 404,
    MessageNotFound: 404,
    ImageNotFound: 404,
    PathNotFound: 404,
    TurnNotFound: 404,
    DreamNotFound: 404,
    PromptNotFound: 404,
    PtyNotFound: 404,
    MemoryNotFound: 404,
    NoteNotFound: 404,
    WorkspaceNotFound: 404,
    BundleRefused: 400,
    SessionConflict: 409,
    MessageUnsettled: 409,
    PromptConflict: 409,
    PromptNotPending: 409,
    AskNotOpen: 409,
    NothingOwed: 409,
    MemoryRefused: 409,
    WorkspaceRefused: 409,
    PtyEnded: 409,
    RequestTimedOut: 408,
    RequestTooLarge: 413,
    ContentTypeRefused: 415,
    RequestHeadTooLarge: 431,
    InternalFailure: 500,
    PtyUnavailable: 503,
    StoreFailure: 503,
  }))

test("[PG1 PG4] every list is a Page that is started by a limit or continued by a cursor", () => {
  const ofSessions = ["list", "active", "inbox", "messages", "context", "history", "turns", "verify"]
  const others = [
    "models.list",
    "locations.list",
    "providers.list",
    "files.list",
    "files.find",
    "ptys.list",
    "asks.list",
  ]
  for (const name of [...ofSessions.map((list) => `sessions.${list}`), ...others]) {
    const found = operations.find(({ operation }) => operation.operationId === name)
    const query = found?.operation.parameters.filter((parameter) => parameter.in === "query")
    expect(query?.map((parameter) => parameter.name).slice(0, 2)).toEqual(["cursor", "limit"])
    const schema = found?.operation.responses[200]?.content?.["application/json"]?.schema
    expect(Object.keys((schema as { properties: object }).properties)).toEqual(["items", "next", "previous"])
  }
})

test("[PG4] no operation answers with a bare array", () => {
  for (const { operation } of operations) {
    const schema = operation.responses[200]?.content?.["application/json"]?.schema
    expect([operation.operationId, (schema as { type?: string } | undefined)?.type]).not.toContain("array")
  }
})

test("[EV1 EV2 EV4] streams are server-sent events, durable ones with an id", () => {
  const streams = operations.filter(
    ({ operation }) => operation.responses[200]?.content?.["text/event-stream"] !== undefined,
  )
  expect(streams.map(({ operation }) => operation.operationId)).toEqual([
    "sessions.events",
    "events.subscribe",
    "ptys.attach",
  ])
  const kinds = [DurableEvents, LiveEvents, PtyEvents].map(({ events }) => Object.keys(events.fields))
  expect(kinds).toEqual([
    ["id", "event", "data"],
    ["event", "data"],
    ["event", "data"],
  ])
})

test("[LL7] an image is answered as one of the types that every model takes", () => {
  const found = operations.find(({ operation }) => operation.operationId === "sessions.image")
  expect(Object.keys(found?.operation.responses[200]?.content ?? {})).toEqual([
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
  ])
})

test("[LL7] images of a prompt are base64 in JSON", () => {
  const found = operations.find(({ operation }) => operation.operationId === "sessions.prompt")
  const schema = found?.operation.requestBody?.content["application/json"]?.schema
  expect(JSON.stringify(schema)).toContain('"contentEncoding":"base64"')
})

test("a failure is a plain object with its tag and a sentence", () => {
  const failure = new Unauthorized({ message: "A token is required." })
  expect(Schema.encodeSync(TransportFailure)(failure)).toEqual({
    _tag: "Unauthorized",
    message: "A token is required.",
  })
})
