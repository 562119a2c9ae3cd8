/**
 * Host: the runtime bound to this machine. One SQLite file in the data directory, the network,
 * the file system, processes; everything is owned by the scope that opened it.
 *
 * Closing stops the drains first, then gives back the leases they held, so that another process
 * need not wait for this one to end, then closes the store. What a stopped drain left open is
 * settled by whoever opens the store next (DR4).
 */
import { randomBytes } from "node:crypto"
import { homedir } from "node:os"
import { join } from "node:path"
import { Effect, Fiber, Scope } from "effect"
import { makeHttpTransport } from "@holdfast/llm"
import { type ConfigurationInvalid, ModelNotFound, type StoreFailure } from "@holdfast/schema/error"
import type { AllowRule } from "@holdfast/schema/fact/session"
import { nodeProjectFiles } from "../dreamer/project-files.ts"
import { makeProjectDocs } from "../memory/project-docs.ts"
import { makeProjectFinder } from "../memory/project.ts"
import { type Degradation, degradationsMax } from "@holdfast/schema/health"
import { formatModelRef, type ModelRef } from "@holdfast/schema/model"
import type { SessionInfo } from "@holdfast/schema/session"
import { type BegunWriter, dataFile, openThreadStore, type Store } from "@holdfast/store"
import {
  type Configured,
  type Environment,
  fallbackFault,
  homeOf,
  openCatalog,
  loadProjectSettings,
  makeConfigured,
  resolveModels,
  type Settings,
} from "../config/index.ts"
import { openEmbedding } from "../embedding/open.ts"
import { nodeInstructionFiles } from "../instructions/index.ts"
import { canonicalPath } from "../permission/canonical-path.ts"
import { type CreateFailure, type CreateSession, makeRuntime, type Runtime } from "../runtime.ts"
import { makeLiveHub } from "../session/live.ts"
import { titleModelFor } from "../config/title-model.ts"
import { type Credentials, makeCredentials } from "../config/credentials/credentials.ts"
import type { CatalogInForce } from "../config/fetched-catalog.ts"
import { learnCredentials, readAhead } from "../secrets/learn-credentials.ts"
import { openMaskKey } from "../secrets/mask-key.ts"
import { makeMasks } from "../secrets/masks.ts"
import { type RuntimePorts, runtimeLimits } from "../session/ports.ts"
import { retryLimits } from "../session/retry.ts"
import { createSkillTool } from "../skills/tool.ts"
import {
  applyPatchTool,
  bashKillTool,
  bashOutputTool,
  createBashTool,
  createGlobTool,
  createGrepTool,
  createOutputStore,
  createWebfetchTool,
  editTool,
  expandTool,
  memoryTool,
  endCallFiles,
  endCallProcesses,
  listTool,
  questionTool,
  readTool,
  retentionDaysDefault,
  sweepDaily,
  type Tool,
  reduceTool,
  searchTool,
  noteTool,
  statusTool,
  todoTool,
  writeTool,
} from "../tools/index.ts"
import { prepareDataDirectory } from "./data-directory.ts"
import { type FetchedInstructions, isAddress, makeFetchedInstructions } from "./fetched-instructions.ts"
import { type GivenModels, withGivenListing, withGivenModels, withGivenTransport } from "./given-models.ts"
import { locate, locationExists } from "./locations.ts"
import { makeIds } from "./ids.ts"
import { holdIdentity, hostProcessFacts, judgeOwner } from "./process-identity.ts"
import { approvalsPort, type PermissionSettings } from "./permissions.ts"
import { type Capabilities, makeSamples, type RegisterFailure } from "./samples.ts"
import { rehearse } from "./rehearsal.ts"
import { makeSavedApprovals } from "./saved-approvals.ts"
import type { SettingsInForce } from "./settings-in-force.ts"
import { type StartedServers, withStartedServers } from "./started-servers.ts"
import { besideTurns, findWaiting, setByUser } from "./user-ports.ts"

export interface HostOptions {
  readonly dataDirectory: string
  readonly configDirectory: string
  /** Where they were never sound, no turn starts and no Session is made (CF1). */
  readonly settings: SettingsInForce
  readonly environment: Environment
  /** What every Session may do without asking, beside what it was allowed itself (PE1). */
  readonly allow: readonly AllowRule[]
  /** False leaves Sessions of policy `continue` to a process that works (DR5). */
  readonly continues?: boolean
  /** Models that are objects of this process (EM2). */
  readonly models?: GivenModels
  /** Servers of this process that start when they are asked. */
  readonly servers?: StartedServers
  /** The store's writer thread, where it was begun before. */
  readonly writer?: BegunWriter
  /** Tools and sources of the program that are there before unfinished work is settled or goes on (DR5). */
  readonly registers?: (capabilities: Capabilities) => Effect.Effect<void, RegisterFailure, Scope.Scope>
}

export interface Host extends Omit<Runtime, "create">, Capabilities {
  /** Without a model the project's file may choose one; a bad file refuses the Session. */
  readonly create: (input: CreateSession) => Effect.Effect<SessionInfo, CreateFailure | ConfigurationInvalid>
  /** Makes the first prompt there faster; never fails. */
  readonly rehearse: (directory: string) => Effect.Effect<void>
}

const contextOf = (options: HostOptions, settings: () => Settings, disableProject: boolean) => ({
  configDirectory: options.configDirectory,
  home: homeOf(options.environment),
  disableProject,
  timeZone: null,
  fetched: openFetched({ settings, dataDirectory: options.dataDirectory }),
})

const speaking = (ref: ModelRef | null, ports: Pick<RuntimePorts, "model">) =>
  ref === null ? Effect.succeed(null) : ports.model(ref, "speak")

export const openHost = Effect.fnUntraced(function* (
  options: HostOptions,
): Effect.fn.Return<Host, ConfigurationInvalid | StoreFailure | RegisterFailure, Scope.Scope> {
  const { environment, models = new Map(), continues = true } = options
  const disableProject = isSet(environment["HOLDFAST_DISABLE_PROJECT_CONFIG"])
  yield* prepareDataDirectory(options.dataDirectory)
  const facts = hostProcessFacts()
  const owner = yield* holdIdentity(facts, randomBytes(12).toString("hex"))
  const opening = yield* openBeside(openStore(options, owner.instance))
  const catalog = yield* openCatalog(options.dataDirectory)
  const outputs = createOutputStore(join(options.dataDirectory, "tool-output"))
  const started = options.settings.now().settings
  const { masks, credentials } = yield* openMasks(options, started)
  const user = withCatalog(readingAhead(options.settings, credentials), catalog)
  const settings = () => user.now().settings
  yield* sweepDaily(outputs.directory, () => settings().toolOutputDays ?? retentionDaysDefault)
  const context = contextOf(options, settings, disableProject)
  const permissions = yield* openPermissions(options, outputs.directory, disableProject)
  const set = { look: user.look, now: () => setByUser(settings(), disableProject) }
  const samples = yield* makeSamples(
    builtInTools(options, settings, disableProject),
    context,
    permissions,
    set,
  )
  yield* options.registers?.(samples) ?? Effect.void
  const transport = withGivenTransport(withStartedServers(yield* makeHttpTransport, options.servers), models)
  const store = yield* opening
  const given = { ...options, settings: started }
  const embedding = yield* openEmbedding(given, credentials, disableProject ? noSearch : projectSearch)
  const ports: RuntimePorts = {
    store,
    ...projectPorts(store),
    masks,
    transport,
    live: makeLiveHub(),
    limits: { retry: retryLimits, ...runtimeLimits },
    newId: makeIds(),
    model: (...asked) => {
      const { fault, settings: held } = user.now()
      if (fault !== null) return noModel(fault, asked[0])
      const resolve = resolveModels(held, environment, { catalog: catalog.now(), credentials })
      return withGivenModels(resolve, models, held.model)(...asked)
    },
    titleModel: (of) => speaking(titleModelFor(settings(), of), ports),
    lookAtSettings: Effect.asVoid(user.look),
    ...besideTurns(settings),
    ...embedding.ports,
    sample: samples.sample,
    approvals: approvalsPort(permissions),
    outputs,
    locationExists,
    continues,
    owner,
    ownerState: (other) => Effect.sync(() => judgeOwner(other, facts)),
    endCallProcesses,
    endCallFiles,
  }
  const configured = configuredNow(options, user, { catalog, models, disableProject })
  const runtime = yield* makeRuntime(ports, { locate, environment, configured })
  // Before anything is begun: when the list is needed, it is too late to mend it.
  const sound = Effect.flatMap(user.look, ({ settings: held }) => {
    const others = (held.fallback ?? []).filter((ref) => !models.has(formatModelRef(ref)))
    const fault = fallbackFault({ ...held, fallback: others }, environment, catalog.now())
    return fault === null ? Effect.succeed(held) : Effect.fail(fault)
  })
  const troubles = () => {
    const { settings: held, since } = user.now()
    return [user.trouble(), findWaiting(started, held, since), embedding.trouble()]
  }
  return {
    ...runtime,
    rehearse: (directory) => rehearse(ports, directory),
    registerTool: samples.registerTool,
    registerSource: samples.registerSource,
    health: () => withTroubles(runtime.health(), context.fetched, troubles),
    model: (ref) => Effect.andThen(sound, runtime.model(ref)),
    answering: (sessionID) => Effect.andThen(sound, runtime.answering(sessionID)),
    create: Effect.fnUntraced(function* (input) {
      const { fault } = yield* user.look
      if (fault !== null) return yield* fault
      const held = yield* sound
      const model = disableProject ? null : yield* projectModel(input, samples.sample)
      return yield* runtime.create(input, {
        ...(held.onRestart !== null && { policy: held.onRestart }),
        ...(held.budget !== null && { budget: held.budget }),
        ...(model && { model }),
      })
    }),
  }
})

/** What is configured, as it holds when somebody asks. */
function configuredNow(
  { environment, configDirectory }: HostOptions,
  user: SettingsInForce,
  by: { readonly catalog: CatalogInForce; readonly models: GivenModels; readonly disableProject: boolean },
): Configured {
  const { models, disableProject } = by
  const read = { environment, configDirectory, disableProject, readFile: nodeInstructionFiles.read }
  const now = Effect.map(user.look, ({ settings }) =>
    withGivenListing(makeConfigured({ ...read, settings, catalog: by.catalog.now() }), models, settings),
  )
  return {
    listing: (provider) => Effect.flatMap(now, ({ listing }) => listing(provider)),
    configuration: (projectRoot) => Effect.flatMap(now, ({ configuration }) => configuration(projectRoot)),
  }
}

const projectPorts = (store: Store): Pick<RuntimePorts, "project" | "projectFiles" | "projectDocs"> => ({
  project: makeProjectFinder(store),
  projectDocs: makeProjectDocs(),
  projectFiles: nodeProjectFiles,
})

export const openFetched = ({
  settings,
  dataDirectory,
}: Pick<HostOptions, "dataDirectory"> & { readonly settings: () => Settings }): FetchedInstructions =>
  makeFetchedInstructions({
    urls: () => (settings().instructions ?? []).filter(isAddress),
    directory: join(dataDirectory, "instructions"),
    reach: () => reachOf(settings()),
  })

const reachOf = ({ webfetchPrivateHosts }: Settings) => ({ privateHosts: new Set(webfetchPrivateHosts) })

/** What is degraded: the user's file, then parts of the runtime, then addresses of instructions that do not answer (CF1, IN4, FA1). */
const withTroubles = (
  found: Effect.Effect<readonly Degradation[]>,
  { unreached }: FetchedInstructions,
  troubles: () => readonly (Degradation | null)[],
): Effect.Effect<readonly Degradation[]> =>
  Effect.map(found, (parts) =>
    [
      ...troubles().filter((part) => part !== null),
      ...parts,
      ...unreached().map(({ url, message, since }) => ({
        part: `instructions/${new URL(url).host}`,
        cause: message,
        since,
      })),
    ].slice(0, degradationsMax),
  )

function builtInTools(
  { environment, dataDirectory, configDirectory }: HostOptions,
  settings: () => Settings,
  disableProject: boolean,
): readonly Tool[] {
  const searches = [createGlobTool(), createGrepTool(), listTool]
  const skills = createSkillTool({ configDirectory, disableProject, home: homeOf(environment) })
  const talks = [todoTool, skills, questionTool]
  const recalls = [expandTool, reduceTool, searchTool, noteTool, statusTool, memoryTool]
  const changes = [writeTool, editTool, applyPatchTool]
  // An option may have named them, where the environment names others or none.
  const inForce = { ...environment, HOLDFAST_DATA_DIR: dataDirectory, HOLDFAST_CONFIG_DIR: configDirectory }
  const commands = [createBashTool(inForce), bashOutputTool, bashKillTool]
  const webfetch = createWebfetchTool(() => reachOf(settings()))
  return [readTool, ...searches, ...talks, ...recalls, ...changes, ...commands, webfetch]
}

const openPermissions = Effect.fnUntraced(function* (
  { allow, environment, dataDirectory, configDirectory }: HostOptions,
  outputDirectory: string,
  disableProject: boolean,
): Effect.fn.Return<PermissionSettings> {
  return {
    allow,
    outputDirectory,
    ownDirectories: yield* canonicalDirectories([dataDirectory, configDirectory]),
    home: environment["HOME"] || homedir(),
    saved: makeSavedApprovals(dataDirectory),
    readProjectFile: disableProject ? null : nodeInstructionFiles.read,
  }
})

const canonicalDirectories = (paths: readonly string[]): Effect.Effect<readonly string[]> =>
  Effect.promise(() => Promise.all(paths.map(async (path) => (await canonicalPath(path)) ?? path)))

/** Masks of the store, and the credentials that they learn from (AU1). */
const openMasks = Effect.fnUntraced(function* (
  { dataDirectory, environment }: HostOptions,
  { maskShapes, providers }: Settings,
) {
  const key = openMaskKey(dataDirectory)
  const masks = makeMasks({ key, ...(maskShapes !== null && { shapes: maskShapes }) })
  const credentials = learnCredentials(makeCredentials(environment), masks)
  yield* readAhead(credentials, providers.values())
  return { masks, credentials }
})

/** Keys that other settings name are read with them: what is hidden is hidden before any turn needs it (AU1). */
function readingAhead(user: SettingsInForce, credentials: Credentials): SettingsInForce {
  let { providers: known } = user.now().settings
  const look = Effect.tap(user.look, ({ settings: { providers } }) => {
    if (providers === known) return Effect.void
    known = providers
    return readAhead(credentials, providers.values())
  })
  return { ...user, look }
}

/** Whoever looks at what is set looks at what is known of models, too. */
const withCatalog = (user: SettingsInForce, catalog: CatalogInForce): SettingsInForce => ({
  ...user,
  look: Effect.tap(user.look, () => catalog.look),
})

/**
 * Begins to open something, and gives what waits for it: a thread takes its time to start, and this one
 * has other things to open. It is closed after everything that is opened from here on.
 */
const openBeside = Effect.fnUntraced(function* <A, E>(
  open: Effect.Effect<A, E, Scope.Scope>,
): Effect.fn.Return<Effect.Effect<A, E>, never, Scope.Scope> {
  const scope = yield* Scope.fork(yield* Effect.scope)
  return Fiber.join(yield* Effect.forkChild(Scope.provide(open, scope), { startImmediately: true }))
})

/** The store, and after everything that was opened later has closed, the return of its leases. */
const openStore = (
  { dataDirectory, continues = true, writer }: HostOptions,
  instance: string,
): Effect.Effect<Store, StoreFailure, Scope.Scope> =>
  Effect.acquireRelease(
    openThreadStore({ file: dataFile(dataDirectory), readsWhenFull: !continues, ...(writer && { writer }) }),
    (store) =>
      // A store that cannot answer any more keeps the leases; their beat has stopped, which tells.
      Effect.ignore(Effect.andThen(Effect.ignore(releaseLeases(store, instance)), store.close())),
  )

const releaseLeases = Effect.fnUntraced(function* (store: Store, instance: string) {
  for (const session of yield* store.unsettled()) {
    const lease = yield* store.lease(session)
    if (lease === null || lease.owner.instance !== instance) continue
    yield* store.commit({ kind: "release", session, token: lease.token, whenIdle: false })
  }
})

/** No turn can begin on settings that could not be read; what is wrong with them is the reason. */
const noModel = (
  { message }: ConfigurationInvalid,
  ref: ModelRef | null,
): Effect.Effect<never, ModelNotFound> =>
  Effect.fail(new ModelNotFound({ model: ref === null ? "" : formatModelRef(ref), message }))

const noSearch = () => Effect.succeed(null)

/** A file that cannot be read chooses nothing: whoever makes a Session is told. */
const projectSearch = (projectRoot: string) =>
  loadProjectSettings(projectRoot, nodeInstructionFiles.read).pipe(
    Effect.map(({ settings }) => settings.search),
    Effect.orElseSucceed(() => null),
  )

/** The model that the project of a Location asks for, where the caller asks for none. */
const projectModel = Effect.fnUntraced(function* (input: CreateSession, sample: RuntimePorts["sample"]) {
  if (input.model !== undefined) return null
  const location = yield* locate(input.directory)
  if (location === null) return null
  // An agent with a model of its own keeps it.
  if (input.agent !== undefined && (yield* sample(location, input.agent)).agent.model) return null
  return (yield* loadProjectSettings(location.projectRoot, nodeInstructionFiles.read)).settings.model
})

const isSet = (value: string | undefined): boolean => value !== undefined && value !== "" && value !== "0"
