/**
 * The contract: one HttpApi, authoritative for server, clients and OpenAPI (CO1).
 *
 * Input is read strictly: a misspelt field is refused, since ignoring one could run tools in the
 * wrong directory. Output may gain fields; a client that is older than its server keeps working.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { AsksGroup } from "./groups/asks.ts"
import { ConfigGroup } from "./groups/config.ts"
import { DreamsGroup } from "./groups/dreams.ts"
import { EventsGroup } from "./groups/events.ts"
import { FilesGroup } from "./groups/files.ts"
import { HealthGroup } from "./groups/health.ts"
import { LocationsGroup } from "./groups/locations.ts"
import { MemoriesGroup } from "./groups/memories.ts"
import { ModelsGroup } from "./groups/models.ts"
import { NotesGroup } from "./groups/notes.ts"
import { ProvidersGroup } from "./groups/providers.ts"
import { PtysGroup } from "./groups/ptys.ts"
import { SearchGroup } from "./groups/search.ts"
import { SessionsGroup } from "./groups/sessions.ts"
import { WorkspacesGroup } from "./groups/workspaces.ts"
import { Authorization } from "./middleware.ts"
import { describeDocument, description, servers } from "./openapi.ts"
import { contractVersion } from "./version.ts"

/** How queries and payloads are read. */
export const inputParseOptions = { onExcessProperty: "error" } as const

export class HoldfastApi extends HttpApi.make("holdfast")
  .add(HealthGroup, SessionsGroup, AsksGroup, EventsGroup, ModelsGroup, PtysGroup)
  .add(LocationsGroup, ProvidersGroup, FilesGroup, SearchGroup, DreamsGroup, ConfigGroup)
  .add(MemoriesGroup, NotesGroup, WorkspacesGroup)
  .middleware(Authorization)
  .prefix("/api")
  .annotate(HttpApi.QueryParseOptions, inputParseOptions)
  .annotate(HttpApi.PayloadParseOptions, inputParseOptions)
  .annotateMerge(
    OpenApi.annotations({
      title: "Holdfast",
      version: contractVersion,
      license: { name: "MIT", identifier: "MIT" },
      description,
      servers,
      transform: (document) => describeDocument(document as OpenApi.OpenAPISpec),
    }),
  ) {}
