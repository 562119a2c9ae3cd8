/** Every route of the contract, found by reflection, with a call that would do something. */
import { HttpApi, OpenApi } from "effect/http-api"
import { HoldfastApi } from "@holdfast/protocol"

export interface Route {
  readonly name: string
  readonly method: string
  /** With its parameters, as `/api/session/:sessionID`. */
  readonly path: string
  readonly params: readonly string[]
  readonly hasQuery: boolean
  readonly isList: boolean
  readonly payload: Readonly<Record<string, unknown>> | null
}

/** What a call of each route with a payload says. A route that is missing here fails its tests. */
const payloads: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "sessions.create": { title: "Made by a test" },
  "sessions.update": { title: "Renamed by a test", policy: "continue" },
  "sessions.fork": { title: "Forked by a test" },
  "sessions.import": { upload: "a-test", offset: 0, data: "eyJidW5kbGUi" },
  "sessions.move": { directory: "." },
  "sessions.archive": { archived: true },
  "sessions.prompt": { text: "Hello", resume: false },
  "sessions.edit": { text: "Changed" },
  "sessions.rebuild": { fromSeq: 1, toSeq: 9 },
  "sessions.probe": { without: ["msg_0000000000000000000a"] },
  "searches.find": { query: "anything", allProjects: true },
  "dreams.run": { dryRun: true },
  "dreams.revert": { directory: "." },
  "memories.write": { text: "Use tabs.", category: "PROJECT_RULES" },
  "memories.update": { text: "Use spaces." },
  "memories.archive": { reason: "It is old." },
  "memories.restore": { directory: "." },
  "memories.merge": { memoryIDs: ["m1", "m2"], text: "Use tabs." },
  "memories.share": { shares: null },
  "notes.write": { text: "Remove the flag.", condition: "The release is out." },
  "notes.update": { text: "Remove both flags." },
  "notes.dismiss": { directory: "." },
  "workspaces.create": { workspace: "made" },
  "workspaces.share": { categories: ["NAMING"] },
  "workspaces.add": { directory: "." },
  "workspaces.remove": { directory: "." },
  "searches.embed": { allProjects: true },
  "asks.answer": { decision: "allow" },
  "locations.open": { directory: "." },
  // There is no such program: a test without processes gets no further.
  "ptys.create": { argv: ["/nothing/here"], title: "Made by a test" },
  "ptys.resize": { columns: 100, rows: 30 },
  "ptys.write": { input: "ls\r" },
  "sessions.switchAgent": { agent: "plan" },
  "sessions.switchModel": { model: "sim/script" },
}

export const routes: readonly Route[] = reflect()

export function fill(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ""))
}

function reflect(): readonly Route[] {
  const found: Route[] = []
  const byName = queries()
  HttpApi.reflect(HoldfastApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const name = `${group.identifier}.${endpoint.identifier}`
      const query = byName.get(name) ?? []
      const sample = payloads[name] ?? null
      const takesPayload = endpoint.payload.size > 0
      if (takesPayload !== (sample !== null)) throw new Error(`routes.ts has no payload for ${name}`)
      found.push({
        name,
        method: endpoint.method,
        path: endpoint.path,
        params: [...endpoint.path.matchAll(/:(\w+)/g)].map(([, param]) => param ?? ""),
        hasQuery: query.length > 0,
        isList: query.includes("cursor"),
        payload: sample,
      })
    },
  })
  return found
}

/** Query parameters by operation, from the document that the server hands out. */
function queries(): ReadonlyMap<string, readonly string[]> {
  const operations = Object.values(OpenApi.fromApi(HoldfastApi).paths).flatMap((methods) =>
    Object.values(methods as Record<string, OpenApi.OpenAPISpecOperation>),
  )
  return new Map(
    operations.map(({ operationId, parameters }) => [
      operationId,
      parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name),
    ]),
  )
}
