// Made from the contract by `npm run codegen`; changes here are lost.

import type { Bytes, CallOptions } from "../transport.ts"
import type {
  AdmittedPrompt,
  Ask,
  BreakReceipt,
  BundleImport,
  Configuration,
  DreamDetail,
  DreamReport,
  DreamRun,
  EmbeddingState,
  Event,
  FileEntry,
  Health,
  ListedModel,
  LiveEvent,
  Location,
  Memory,
  MemoryDetail,
  Message,
  Model,
  Note,
  PlannedRequest,
  ProbeResult,
  ProjectInfo,
  PromptReceipt,
  Provider,
  Pty,
  PtyItem,
  PtyTicket,
  RebuildResult,
  RevertedDream,
  RunResult,
  SearchResult,
  SentRequest,
  Session,
  SessionDeleted,
  TurnRecord,
  VerifiedTurn,
  Workspace,
} from "./records.ts"

export interface SessionsCreateInput {
  readonly id?: string
  readonly directory?: string
  readonly title?: string
  readonly model?: string
  readonly agent?: string
  readonly policy?: "settle" | "continue"
  readonly onAsk?: "wait" | "deny" | "allow" | "fail"
  readonly allow?: readonly string[]
  readonly budget?: { readonly tokens?: number | null; readonly money?: number | null }
}

export interface SessionsListInput {
  readonly cursor?: string
  readonly limit?: number
  readonly archived?: boolean
}

export interface SessionsActiveInput {
  readonly cursor?: string
  readonly limit?: number
}

export interface SessionsGetInput {
  readonly sessionID: string
}

export interface SessionsUpdateInput {
  readonly sessionID: string
  readonly title?: string | null
  readonly policy?: "settle" | "continue"
  readonly onAsk?: "wait" | "deny" | "allow" | "fail"
  readonly allow?: readonly string[]
  readonly budget?: { readonly tokens?: number | null; readonly money?: number | null }
}

export interface SessionsDeleteInput {
  readonly sessionID: string
}

export interface SessionsForkInput {
  readonly sessionID: string
  readonly messageID?: string
  readonly id?: string
  readonly title?: string
}

export interface SessionsExportInput {
  readonly sessionID: string
  readonly format?: "bundle" | "markdown" | "html"
  readonly system?: boolean
  readonly reasoning?: boolean
}

export interface SessionsImportInput {
  readonly upload: string
  readonly offset: number
  readonly data: string
  readonly last?: boolean
  readonly trust?: boolean
  readonly directory?: string
}

export interface SessionsMoveInput {
  readonly sessionID: string
  readonly directory: string
}

export interface SessionsArchiveInput {
  readonly sessionID: string
  readonly archived: boolean
}

export interface SessionsPromptInput {
  readonly sessionID: string
  readonly text: string
  readonly images?: readonly { readonly data: string; readonly name?: string }[]
  readonly calls?: readonly { readonly tool: "read" | "bash"; readonly argument: string }[]
  readonly id?: string
  readonly delivery?: "steer" | "queue"
  readonly resume?: boolean
  readonly declines?: boolean
  readonly sidekick?: boolean
}

export interface SessionsInboxInput {
  readonly sessionID: string
  readonly cursor?: string
  readonly limit?: number
}

export interface SessionsEditInput {
  readonly sessionID: string
  readonly promptID: string
  readonly text: string
}

export interface SessionsCancelInput {
  readonly sessionID: string
  readonly promptID: string
}

export interface SessionsInterruptInput {
  readonly sessionID: string
}

export interface SessionsResumeInput {
  readonly sessionID: string
}

export interface SessionsModelInput {
  readonly sessionID: string
}

export interface SessionsSwitchModelInput {
  readonly sessionID: string
  readonly model: string
}

export interface SessionsSwitchAgentInput {
  readonly sessionID: string
  readonly agent: string
}

export interface SessionsWaitInput {
  readonly sessionID: string
}

export interface SessionsMessagesInput {
  readonly sessionID: string
  readonly cursor?: string
  readonly limit?: number
  readonly system?: boolean
  readonly order?: "oldest-first" | "newest-first"
}

export interface SessionsMessageInput {
  readonly sessionID: string
  readonly messageID: string
}

export interface SessionsQuarantineInput {
  readonly sessionID: string
  readonly messageID: string
}

export interface SessionsFoldInput {
  readonly sessionID: string
}

export interface SessionsFlushInput {
  readonly sessionID: string
}

export interface SessionsRebuildInput {
  readonly sessionID: string
  readonly fromSeq?: number
  readonly toSeq?: number
}

export interface SessionsReceiptsInput {
  readonly sessionID: string
  readonly cursor?: string
  readonly limit?: number
}

export interface SessionsProbeInput {
  readonly sessionID: string
  readonly without: readonly [string, ...string[]]
}

export interface SessionsImageInput {
  readonly sessionID: string
  readonly handle: string
}

export interface SessionsContextInput {
  readonly sessionID: string
  readonly cursor?: string
  readonly limit?: number
}

export interface SessionsRequestInput {
  readonly sessionID: string
  readonly content?: boolean
}

export interface SessionsEventsInput {
  readonly sessionID: string
  readonly after?: number
}

export interface SessionsHistoryInput {
  readonly sessionID: string
  readonly cursor?: string
  readonly limit?: number
  readonly after?: number
}

export interface SessionsTurnsInput {
  readonly sessionID: string
  readonly cursor?: string
  readonly limit?: number
}

export interface SessionsVerifyInput {
  readonly sessionID: string
  readonly cursor?: string
  readonly limit?: number
}

export interface SessionsSentRequestInput {
  readonly sessionID: string
  readonly turnID: string
}

export interface AsksListInput {
  readonly cursor?: string
  readonly limit?: number
  readonly sessionID?: string
}

export interface AsksAnswerInput {
  readonly askID: string
  readonly decision: "allow" | "decline" | "answer"
  readonly scope?: "once" | "session" | "project"
  readonly rules?: readonly [string, ...string[]]
  readonly text?: string
}

export interface EventsSubscribeInput {
  readonly sessionID?: string
}

export interface ModelsGetInput {
  readonly model?: string
}

export interface ModelsListInput {
  readonly cursor?: string
  readonly limit?: number
  readonly provider?: string
}

export interface PtysCreateInput {
  readonly argv?: readonly [string, ...string[]]
  readonly directory?: string
  readonly title?: string
  readonly env?: { readonly [name: string]: string }
  readonly columns?: number
  readonly rows?: number
}

export interface PtysListInput {
  readonly cursor?: string
  readonly limit?: number
}

export interface PtysGetInput {
  readonly ptyID: string
}

export interface PtysResizeInput {
  readonly ptyID: string
  readonly columns: number
  readonly rows: number
}

export interface PtysWriteInput {
  readonly ptyID: string
  readonly input: string
}

export interface PtysAttachInput {
  readonly ptyID: string
  readonly from?: number
}

export interface PtysCloseInput {
  readonly ptyID: string
}

export interface PtysTicketInput {
  readonly ptyID: string
}

export interface LocationsOpenInput {
  readonly directory: string
}

export interface LocationsListInput {
  readonly cursor?: string
  readonly limit?: number
}

export interface LocationsGetInput {
  readonly directory?: string
}

export interface ProvidersListInput {
  readonly cursor?: string
  readonly limit?: number
  readonly provider?: string
}

export interface FilesListInput {
  readonly cursor?: string
  readonly limit?: number
  readonly directory?: string
  readonly path?: string
}

export interface FilesReadInput {
  readonly directory?: string
  readonly path: string
  readonly offset?: number
  readonly length?: number
}

export interface FilesFindInput {
  readonly cursor?: string
  readonly limit?: number
  readonly directory?: string
  readonly path?: string
  readonly name?: string
}

export interface SearchesFindInput {
  readonly query: string
  readonly directory?: string
  readonly allProjects?: boolean
  readonly sessionID?: string
  readonly results?: number
}

export interface SearchesEmbedInput {
  readonly directory?: string
  readonly allProjects?: boolean
  readonly sessionID?: string
}

export interface DreamsRunInput {
  readonly directory?: string
  readonly dryRun?: boolean
}

export interface DreamsListInput {
  readonly directory?: string
  readonly runs?: number
}

export interface DreamsGetInput {
  readonly runID: string
  readonly directory?: string
}

export interface DreamsRevertInput {
  readonly runID: string
  readonly directory?: string
  readonly only?: readonly string[]
}

export interface ConfigGetInput {
  readonly directory?: string
}

export interface MemoriesListInput {
  readonly cursor?: string
  readonly limit?: number
  readonly directory?: string
  readonly status?: "active" | "archived" | "superseded" | "all"
  readonly category?: "PROJECT_RULES" | "ARCHITECTURE" | "CONSTRAINTS" | "CONFIG_VALUES" | "NAMING"
}

export interface MemoriesGetInput {
  readonly memoryID: string
  readonly directory?: string
}

export interface MemoriesWriteInput {
  readonly directory?: string
  readonly text: string
  readonly category?: "PROJECT_RULES" | "ARCHITECTURE" | "CONSTRAINTS" | "CONFIG_VALUES" | "NAMING"
  readonly expiresAt?: number | null
  readonly supersedes?: readonly string[]
}

export interface MemoriesUpdateInput {
  readonly memoryID: string
  readonly directory?: string
  readonly text?: string
  readonly category?: "PROJECT_RULES" | "ARCHITECTURE" | "CONSTRAINTS" | "CONFIG_VALUES" | "NAMING"
  readonly expiresAt?: number | null
}

export interface MemoriesArchiveInput {
  readonly memoryID: string
  readonly directory?: string
  readonly reason?: string
}

export interface MemoriesRestoreInput {
  readonly memoryID: string
  readonly directory?: string
}

export interface MemoriesMergeInput {
  readonly directory?: string
  readonly memoryIDs: readonly string[]
  readonly text: string
  readonly category?: "PROJECT_RULES" | "ARCHITECTURE" | "CONSTRAINTS" | "CONFIG_VALUES" | "NAMING"
}

export interface MemoriesProjectInput {
  readonly directory?: string
}

export interface MemoriesShareInput {
  readonly directory?: string
  readonly shares: string | null
  readonly bare?: boolean
}

export interface NotesListInput {
  readonly cursor?: string
  readonly limit?: number
  readonly directory?: string
  readonly sessionID?: string
}

export interface NotesWriteInput {
  readonly directory?: string
  readonly sessionID?: string
  readonly text: string
  readonly condition?: string
}

export interface NotesUpdateInput {
  readonly noteID: string
  readonly directory?: string
  readonly sessionID?: string
  readonly text?: string
  readonly condition?: string | null
}

export interface NotesDismissInput {
  readonly noteID: string
  readonly directory?: string
  readonly sessionID?: string
}

export interface WorkspacesCreateInput {
  readonly workspace: string
  readonly categories?: readonly (
    | "PROJECT_RULES"
    | "ARCHITECTURE"
    | "CONSTRAINTS"
    | "CONFIG_VALUES"
    | "NAMING"
  )[]
}

export interface WorkspacesShareInput {
  readonly workspace: string
  readonly categories: readonly (
    | "PROJECT_RULES"
    | "ARCHITECTURE"
    | "CONSTRAINTS"
    | "CONFIG_VALUES"
    | "NAMING"
  )[]
}

export interface WorkspacesAddInput {
  readonly workspace: string
  readonly directory?: string
}

export interface WorkspacesRemoveInput {
  readonly workspace: string
  readonly directory?: string
}

export interface WorkspacesDeleteInput {
  readonly workspace: string
}

export interface HealthOperations {
  readonly get: (options?: CallOptions) => Promise<Health>
}

export interface SessionsOperations {
  readonly create: (input?: SessionsCreateInput, options?: CallOptions) => Promise<Session>
  readonly list: (
    input?: SessionsListInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly Session[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly active: (
    input?: SessionsActiveInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly string[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly get: (input: SessionsGetInput, options?: CallOptions) => Promise<Session>
  readonly update: (input: SessionsUpdateInput, options?: CallOptions) => Promise<Session>
  readonly delete: (input: SessionsDeleteInput, options?: CallOptions) => Promise<void>
  readonly fork: (input: SessionsForkInput, options?: CallOptions) => Promise<Session>
  readonly export: (input: SessionsExportInput, options?: CallOptions) => AsyncIterable<Uint8Array>
  readonly import: (
    input: SessionsImportInput,
    options?: CallOptions,
  ) => Promise<{ readonly received: number; readonly imported: BundleImport | null }>
  readonly move: (input: SessionsMoveInput, options?: CallOptions) => Promise<Session>
  readonly archive: (input: SessionsArchiveInput, options?: CallOptions) => Promise<Session>
  readonly prompt: (input: SessionsPromptInput, options?: CallOptions) => Promise<PromptReceipt>
  readonly inbox: (
    input: SessionsInboxInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly AdmittedPrompt[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly edit: (input: SessionsEditInput, options?: CallOptions) => Promise<PromptReceipt>
  readonly cancel: (input: SessionsCancelInput, options?: CallOptions) => Promise<PromptReceipt>
  readonly interrupt: (input: SessionsInterruptInput, options?: CallOptions) => Promise<void>
  readonly resume: (
    input: SessionsResumeInput,
    options?: CallOptions,
  ) => Promise<{ readonly asks: readonly Ask[] }>
  readonly model: (input: SessionsModelInput, options?: CallOptions) => Promise<Model>
  readonly switchModel: (input: SessionsSwitchModelInput, options?: CallOptions) => Promise<Session>
  readonly switchAgent: (input: SessionsSwitchAgentInput, options?: CallOptions) => Promise<Session>
  readonly wait: (
    input: SessionsWaitInput,
    options?: CallOptions,
  ) => Promise<{ readonly state: "running" } | { readonly state: "settled"; readonly result: RunResult }>
  readonly messages: (
    input: SessionsMessagesInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly Message[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly message: (input: SessionsMessageInput, options?: CallOptions) => Promise<Message>
  readonly quarantine: (input: SessionsQuarantineInput, options?: CallOptions) => Promise<void>
  readonly fold: (input: SessionsFoldInput, options?: CallOptions) => Promise<void>
  readonly flush: (input: SessionsFlushInput, options?: CallOptions) => Promise<void>
  readonly rebuild: (input: SessionsRebuildInput, options?: CallOptions) => Promise<RebuildResult>
  readonly receipts: (
    input: SessionsReceiptsInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly BreakReceipt[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly probe: (input: SessionsProbeInput, options?: CallOptions) => Promise<ProbeResult>
  readonly image: (input: SessionsImageInput, options?: CallOptions) => Promise<Bytes>
  readonly context: (
    input: SessionsContextInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly Message[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly request: (input: SessionsRequestInput, options?: CallOptions) => Promise<PlannedRequest>
  readonly events: (
    input: SessionsEventsInput,
    options?: CallOptions,
  ) => AsyncIterable<Event | SessionDeleted>
  readonly history: (
    input: SessionsHistoryInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly Event[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly turns: (
    input: SessionsTurnsInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly TurnRecord[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly verify: (
    input: SessionsVerifyInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly VerifiedTurn[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly sentRequest: (input: SessionsSentRequestInput, options?: CallOptions) => Promise<SentRequest>
}

export interface AsksOperations {
  readonly list: (
    input?: AsksListInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly Ask[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly answer: (input: AsksAnswerInput, options?: CallOptions) => Promise<void>
}

export interface EventsOperations {
  readonly subscribe: (input?: EventsSubscribeInput, options?: CallOptions) => AsyncIterable<LiveEvent>
}

export interface ModelsOperations {
  readonly get: (input?: ModelsGetInput, options?: CallOptions) => Promise<Model>
  readonly list: (
    input?: ModelsListInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly ListedModel[]
    readonly next: string | null
    readonly previous: string | null
  }>
}

export interface PtysOperations {
  readonly create: (input?: PtysCreateInput, options?: CallOptions) => Promise<Pty>
  readonly list: (
    input?: PtysListInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly Pty[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly get: (input: PtysGetInput, options?: CallOptions) => Promise<Pty>
  readonly resize: (input: PtysResizeInput, options?: CallOptions) => Promise<Pty>
  readonly write: (input: PtysWriteInput, options?: CallOptions) => Promise<void>
  readonly attach: (input: PtysAttachInput, options?: CallOptions) => AsyncIterable<PtyItem>
  readonly close: (input: PtysCloseInput, options?: CallOptions) => Promise<void>
  readonly ticket: (input: PtysTicketInput, options?: CallOptions) => Promise<PtyTicket>
}

export interface LocationsOperations {
  readonly open: (input: LocationsOpenInput, options?: CallOptions) => Promise<Location>
  readonly list: (
    input?: LocationsListInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly Location[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly get: (input?: LocationsGetInput, options?: CallOptions) => Promise<Location>
}

export interface ProvidersOperations {
  readonly list: (
    input?: ProvidersListInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly Provider[]
    readonly next: string | null
    readonly previous: string | null
  }>
}

export interface FilesOperations {
  readonly list: (
    input?: FilesListInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly FileEntry[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly read: (input: FilesReadInput, options?: CallOptions) => Promise<Bytes>
  readonly find: (
    input?: FilesFindInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly FileEntry[]
    readonly next: string | null
    readonly previous: string | null
  }>
}

export interface SearchesOperations {
  readonly find: (input: SearchesFindInput, options?: CallOptions) => Promise<SearchResult>
  readonly embed: (input?: SearchesEmbedInput, options?: CallOptions) => Promise<EmbeddingState>
}

export interface DreamsOperations {
  readonly run: (input?: DreamsRunInput, options?: CallOptions) => Promise<DreamReport>
  readonly list: (
    input?: DreamsListInput,
    options?: CallOptions,
  ) => Promise<{ readonly runs: readonly DreamRun[] }>
  readonly get: (input: DreamsGetInput, options?: CallOptions) => Promise<DreamDetail>
  readonly revert: (input: DreamsRevertInput, options?: CallOptions) => Promise<RevertedDream>
}

export interface ConfigOperations {
  readonly get: (input?: ConfigGetInput, options?: CallOptions) => Promise<Configuration>
}

export interface MemoriesOperations {
  readonly list: (
    input?: MemoriesListInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly Memory[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly get: (input: MemoriesGetInput, options?: CallOptions) => Promise<MemoryDetail>
  readonly write: (input: MemoriesWriteInput, options?: CallOptions) => Promise<Memory>
  readonly update: (input: MemoriesUpdateInput, options?: CallOptions) => Promise<Memory>
  readonly archive: (input: MemoriesArchiveInput, options?: CallOptions) => Promise<Memory>
  readonly restore: (input: MemoriesRestoreInput, options?: CallOptions) => Promise<Memory>
  readonly merge: (input: MemoriesMergeInput, options?: CallOptions) => Promise<Memory>
  readonly project: (input?: MemoriesProjectInput, options?: CallOptions) => Promise<ProjectInfo>
  readonly share: (input: MemoriesShareInput, options?: CallOptions) => Promise<ProjectInfo>
}

export interface NotesOperations {
  readonly list: (
    input?: NotesListInput,
    options?: CallOptions,
  ) => Promise<{
    readonly items: readonly Note[]
    readonly next: string | null
    readonly previous: string | null
  }>
  readonly write: (input: NotesWriteInput, options?: CallOptions) => Promise<Note>
  readonly update: (input: NotesUpdateInput, options?: CallOptions) => Promise<Note>
  readonly dismiss: (input: NotesDismissInput, options?: CallOptions) => Promise<Note>
}

export interface WorkspacesOperations {
  readonly list: (options?: CallOptions) => Promise<{ readonly workspaces: readonly Workspace[] }>
  readonly create: (input: WorkspacesCreateInput, options?: CallOptions) => Promise<Workspace>
  readonly share: (input: WorkspacesShareInput, options?: CallOptions) => Promise<Workspace>
  readonly add: (input: WorkspacesAddInput, options?: CallOptions) => Promise<Workspace>
  readonly remove: (input: WorkspacesRemoveInput, options?: CallOptions) => Promise<Workspace>
  readonly delete: (input: WorkspacesDeleteInput, options?: CallOptions) => Promise<void>
}

export interface HoldfastClient {
  readonly health: HealthOperations
  readonly sessions: SessionsOperations
  readonly asks: AsksOperations
  readonly events: EventsOperations
  readonly models: ModelsOperations
  readonly ptys: PtysOperations
  readonly locations: LocationsOperations
  readonly providers: ProvidersOperations
  readonly files: FilesOperations
  readonly searches: SearchesOperations
  readonly dreams: DreamsOperations
  readonly config: ConfigOperations
  readonly memories: MemoriesOperations
  readonly notes: NotesOperations
  readonly workspaces: WorkspacesOperations
}
