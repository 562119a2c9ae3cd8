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
import type { Degradation } from "@holdfast/schema/health"
import { formatModelRef, type ModelRef } from "@holdfast/schema/model"
import type { SessionInfo } from "@holdfast/schema/session"
import { type BegunWriter, dataFile, openThreadStore, type Store } from "@holdfast/store"
import {
  type Environment,
  fallbackFault,
  homeOf,
  loadCatalog,
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
import { makeCredentials } from "../config/credentials/credentials.ts"
import { learnCredentials, readAhead } from "../secrets/learn-credentials.ts"
import { openMaskKey } from "../secrets/mask-key.ts"
import { makeMasks } from "../secrets/masks.ts"
import { type RuntimePorts, runtimeLimits, type TurnSettings } from "../session/ports.ts"
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
import { type Capabilities, makeSamples } from "./samples.ts"
import { makeSavedApprovals } from "./saved-approvals.ts"
import { type StartedServers, withStartedServers } from "./started-servers.ts"

export interface HostOptions {
  readonly dataDirectory: string
  readonly configDirectory: string
  readonly settings: Settings
  /** Why the settings could not be read: then no turn starts and no Session is made (CF1). */
  readonly fault?: ConfigurationInvalid | null
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
}

export interface Host extends Omit<Runtime, "create">, Capabilities {
  /** Without a model the project's file may choose one; a bad file refuses the Session. */
  readonly create: (input: CreateSession) => Effect.Effect<SessionInfo, CreateFailure | ConfigurationInvalid>
}

const contextOf = (options: HostOptions, disableProject: boolean) => ({
  configDirectory: options.configDirectory,
  home: homeOf(options.environment),
  disableProject,
  timeZone: options.settings.timeZone,
  instructions: options.settings.instructions,
  fetched: openFetched(options),
})

const speaking = (ref: ModelRef | null, ports: Pick<RuntimePorts, "model">) =>
  ref === null ? Effect.succeed(null) : ports.model(ref, "speak")

export const openHost = Effect.fnUntraced(function* (
  options: HostOptions,
): Effect.fn.Return<Host, ConfigurationInvalid | StoreFailure, Scope.Scope> {
  const { environment, settings, configDirectory, models = new Map(), continues = true } = options
  const disableProject = isSet(environment["HOLDFAST_DISABLE_PROJECT_CONFIG"])
  yield* prepareDataDirectory(options.dataDirectory)
  const facts = hostProcessFacts()
  const owner = yield* holdIdentity(facts, randomBytes(12).toString("hex"))
  const opening = yield* openBeside(openStore(options, owner.instance))
  const catalog = yield* loadCatalog(options.dataDirectory)
  const outputs = createOutputStore(join(options.dataDirectory, "tool-output"))
  yield* sweepDaily(outputs.directory, settings.toolOutputDays ?? retentionDaysDefault)
  const context = contextOf(options, disableProject)
  const permissions = yield* openPermissions(options, outputs.directory, disableProject)
  const set = turnSettings(settings, disableProject)
  const samples = yield* makeSamples(builtInTools(options, disableProject), context, permissions, set)
  const { masks, credentials } = yield* openMasks(options)
  const transport = withGivenTransport(withStartedServers(yield* makeHttpTransport, options.servers), models)
  const store = yield* opening
  const embedding = yield* openEmbedding(options, credentials, disableProject ? noSearch : projectSearch)
  const ports: RuntimePorts = {
    store,
    ...projectPorts(store),
    masks,
    transport,
    live: makeLiveHub(),
    limits: { retry: retryLimits, ...runtimeLimits },
    newId: makeIds(),
    model: options.fault
      ? noModel(options.fault)
      : withGivenModels(
          resolveModels(settings, environment, { catalog, credentials }),
          models,
          settings.model,
        ),
    titleModel: (of) => speaking(titleModelFor(settings, of), ports),
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
  const configured = makeConfigured({
    settings,
    environment,
    catalog,
    configDirectory,
    disableProject,
    readFile: nodeInstructionFiles.read,
  })
  const runtime = yield* makeRuntime(ports, {
    locate,
    environment,
    configured: withGivenListing(configured, models, settings),
  })
  const others = (settings.fallback ?? []).filter((ref) => !models.has(formatModelRef(ref)))
  const fault = fallbackFault({ ...settings, fallback: others }, environment, catalog)
  // Before anything is begun: when the list is needed, it is too late to mend it.
  const sound = fault === null ? Effect.void : Effect.fail(fault)
  const byDefault = settings.onRestart === null ? {} : { policy: settings.onRestart }
  return {
    ...runtime,
    registerTool: samples.registerTool,
    registerSource: samples.registerSource,
    health: () => withUnreached(runtime.health(), context.fetched, embedding.trouble),
    model: (ref) => Effect.andThen(sound, runtime.model(ref)),
    answering: (sessionID) => Effect.andThen(sound, runtime.answering(sessionID)),
    create: (input) =>
      (options.fault ? Effect.fail(options.fault) : Effect.void).pipe(
        Effect.andThen(sound),
        Effect.andThen(disableProject ? Effect.succeed(null) : projectModel(input, samples.sample)),
        Effect.flatMap((model) =>
          runtime.create({
            ...byDefault,
            ...input,
            ...budgetOf(settings, input.budget),
            ...(model && { model }),
          }),
        ),
      ),
  }
})

const projectPorts = (store: Store): Pick<RuntimePorts, "project" | "projectFiles" | "projectDocs"> => ({
  project: makeProjectFinder(store),
  projectDocs: makeProjectDocs(),
  projectFiles: nodeProjectFiles,
})

/** Of the two limits, each that a caller does not name is the user's (DR9). */
const budgetOf = ({ budget }: Settings, asked: CreateSession["budget"]) =>
  budget === null && asked === undefined ? {} : { budget: { ...budget, ...asked } }

/** What turns in a project work with: the user's settings, and over them what the project may set. */
const turnSettings =
  (user: Settings, disableProject: boolean) =>
  (project: Settings): TurnSettings => {
    const { threshold, docs, textCompression = false } = { ...user.recall, ...project.recall }
    const shown = disableProject ? [] : docs
    return {
      ...(threshold !== undefined && { executeShare: threshold }),
      ...(shown !== undefined && { docs: shown }),
      textCompression,
      fallback: user.fallback ?? [],
      searchHint: user.search?.hint ?? true,
      ...user.cost,
    }
  }

export const openFetched = ({
  settings: { instructions, webfetchPrivateHosts },
  dataDirectory,
}: Pick<HostOptions, "settings" | "dataDirectory">): FetchedInstructions =>
  makeFetchedInstructions({
    urls: (instructions ?? []).filter(isAddress),
    directory: join(dataDirectory, "instructions"),
    reach: { privateHosts: new Set(webfetchPrivateHosts) },
  })

/** Models that do jobs (HI8, DM1, NT2), and the bounds of what keeps a cache. */
const besideTurns = ({
  cache,
  historian,
  dreamer,
  sidekick,
}: Settings): Pick<RuntimePorts, "historian" | "dreamer" | "sidekick" | "keepWarm"> => ({
  ...(cache?.keepWarm && { keepWarm: cache.keepWarm }),
  dreamer: {
    models: dreamer === null || dreamer.model === null ? [] : [dreamer.model, ...dreamer.fallback],
    tasks: dreamer?.tasks ?? [],
    schedule: dreamer?.schedule ?? "always",
  },
  ...(historian && {
    historian: {
      models: [historian.model, ...historian.fallback],
      prompt: historian.prompt,
      editor: historian.editor,
    },
  }),
  ...(sidekick && {
    sidekick: {
      models: [sidekick.model, ...sidekick.fallback],
      prompt: sidekick.prompt,
      msMax: sidekick.timeoutSeconds * 1_000,
    },
  }),
})

/** What is degraded, with addresses of instructions that do not answer (IN4, FA1). */
const withUnreached = (
  found: Effect.Effect<readonly Degradation[]>,
  { unreached }: FetchedInstructions,
  trouble: () => Degradation | null,
): Effect.Effect<readonly Degradation[]> =>
  Effect.map(found, (parts) => [
    ...parts,
    ...[trouble()].filter((part) => part !== null),
    ...unreached().map(({ url, message, since }) => ({
      part: `instructions/${new URL(url).host}`,
      cause: message,
      since,
    })),
  ])

function builtInTools(
  { environment, settings, configDirectory }: HostOptions,
  disableProject: boolean,
): readonly Tool[] {
  const searches = [createGlobTool(), createGrepTool(), listTool]
  const skills = createSkillTool({ configDirectory, disableProject, home: homeOf(environment) })
  const talks = [todoTool, skills, questionTool]
  const recalls = [expandTool, reduceTool, searchTool, noteTool, statusTool, memoryTool]
  const changes = [writeTool, editTool, applyPatchTool]
  const commands = [createBashTool(environment), bashOutputTool, bashKillTool]
  const webfetch = createWebfetchTool({ privateHosts: new Set(settings.webfetchPrivateHosts) })
  return [readTool, ...searches, ...talks, ...recalls, ...changes, ...commands, webfetch]
}

const openPermissions = Effect.fnUntraced(function* (
  { settings, allow, environment, dataDirectory, configDirectory }: HostOptions,
  outputDirectory: string,
  disableProject: boolean,
): Effect.fn.Return<PermissionSettings> {
  return {
    user: settings.permissions,
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
const openMasks = Effect.fnUntraced(function* ({ dataDirectory, settings, environment }: HostOptions) {
  const { maskShapes, providers } = settings
  const key = openMaskKey(dataDirectory)
  const masks = makeMasks({ key, ...(maskShapes !== null && { shapes: maskShapes }) })
  const credentials = learnCredentials(makeCredentials(environment), masks)
  yield* readAhead(credentials, providers.values())
  return { masks, credentials }
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
const noModel =
  ({ message }: ConfigurationInvalid): RuntimePorts["model"] =>
  (ref) =>
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
