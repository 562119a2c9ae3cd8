/**
 * What a turn works with on this machine: agents, tools and sources, as registered now (DR2, RG1).
 *
 * Everything enters by a scoped registration: the built-in tools and sources first, those of the
 * embedding program (EM2) over them. A source is registered for every Location, or for one.
 */
import { Effect, Result, type Scope } from "effect"
import { expandToolName, reduceToolName } from "@holdfast/recall"
import { LocationMissing } from "@holdfast/schema/error"
import {
  combine,
  DuplicateSourceKey,
  makeRegistry,
  recallSource,
  type SystemContext,
  type SystemContextRegistry,
} from "../context/index.ts"
import { recallKey } from "../context/recall-guidance.ts"
import { instructionsKey, nestedDirectories, nodeInstructionFiles } from "../instructions/index.ts"
import type { Location } from "@holdfast/schema/location"
import { noSettings, type Settings } from "../config/index.ts"
import { keepNewest } from "../newest.ts"
import { type Rule, writeRule } from "../permission/rule.ts"
import { makeRegistrations } from "../registrations.ts"
import { type AgentDefinition, selects } from "../agent/definition.ts"
import { findAgent, nobody } from "../agent/find.ts"
import type { RuntimePorts, TurnSettings } from "../session/ports.ts"
import { loadSkills } from "../skills/load.ts"
import { skillsKey, skillsSource } from "../skills/source.ts"
import { skillToolName } from "../skills/tool.ts"
import { createToolRegistry, reduceTool, type Tool, type ToolRegistry } from "../tools/index.ts"
import {
  makeAuthorise,
  makeMayTouch,
  maySkill,
  type PermissionSettings,
  rulesOfTurn,
  settingsOfProject,
  type TurnRules,
} from "./permissions.ts"
import {
  type BuiltInSources,
  builtInSourceKeys,
  builtInSources,
  type ContextSettings,
  locate,
} from "./locations.ts"

/** The same-process capabilities of a host (EM2). */
export interface Capabilities {
  /** Offers a tool until the scope closes; the last one of a name wins. */
  readonly registerTool: (tool: Tool) => Effect.Effect<void, never, Scope.Scope>
  /** Adds sources until the scope closes: in one directory, or wherever a Session works. */
  readonly registerSource: (
    contribution: string,
    context: SystemContext,
    directory?: string,
  ) => Effect.Effect<void, RegisterFailure, Scope.Scope>
}

export type RegisterFailure = DuplicateSourceKey | LocationMissing

export interface Samples extends Capabilities {
  readonly sample: RuntimePorts["sample"]
}

/** What the user has set. */
export interface SetByUser {
  readonly context: Pick<ContextSettings, "timeZone" | "instructions">
  readonly rules: readonly Rule[]
  /** What turns in a project work with: the user's settings, and over them what the project may set. */
  readonly settingsIn: (project: Settings) => TurnSettings
}

/** As it holds for a turn that begins now: a sample looks, what it makes goes by what was found. */
export interface SetNow {
  readonly look: Effect.Effect<unknown>
  readonly now: () => SetByUser
}

const nothingSet = (context: SetByUser["context"]): SetNow => {
  const set: SetByUser = { context, rules: [], settingsIn: () => ({}) }
  return { look: Effect.void, now: () => set }
}

export const makeSamples = Effect.fnUntraced(function* (
  builtInTools: readonly Tool[],
  settings: ContextSettings,
  permissions: PermissionSettings,
  user: SetNow = nothingSet(settings),
): Effect.fn.Return<Samples, never, Scope.Scope> {
  const tools = makeRegistrations<Tool>()
  for (const tool of builtInTools) yield* tools.register(tool.name, tool)
  const sources = makeSources(() => ({ ...settings, ...user.now().context }))
  const skills = keptSkills(settings, permissions)
  const registry = sameRegistry()
  const own = new Set(builtInTools)
  return {
    registerTool: (tool) => tools.register(tool.name, tool),
    registerSource: (...given) => Effect.andThen(requireOthers(given[1]), sources.contribute(...given)),
    sample: Effect.fnUntraced(function* (location, agentName, met = []) {
      // Side by side: all of them wait for the disk, and the turn waits for them.
      const [found, ofProject] = yield* Effect.all(
        [
          findAgent(settings, location.projectRoot, agentName),
          settingsOfProject(permissions, location),
          user.look,
        ],
        { concurrency: "unbounded" },
      )
      const byUser = user.now()
      const registered = yield* sources.at(location, met)
      const declared = registry(tools.current().map(([, tool]) => tool))
      const nothing = { tools: registry([]), declared, context: registered }
      if (found.kind === "missing") return { ...nothing, agent: nobody(agentName), obstacle: found.reason }
      const { agent } = found
      const rules = rulesOfTurn(permissions, byUser.rules, ofProject, agent)
      if (rules.kind === "faulty") return { ...nothing, agent, obstacle: rules.reason }
      const set = byUser.settingsIn(Result.getOrElse(ofProject, () => noSettings))
      // Texts are compressed in place of drops by the model, not beside them (TG5).
      const isReplaced = (tool: Tool) => set.textCompression === true && tool === reduceTool
      const offered = tools
        .current()
        .flatMap(([, tool]) => (selects(agent.selection, tool) && !isReplaced(tool) ? [tool] : []))
      const knownTool = (called: string) => {
        const tool = offered.find(({ name }) => name === called)
        return tool && { tool, builtIn: own.has(tool) }
      }
      const guides = knownTool(skillToolName) !== undefined
      const recalls = {
        expands: knownTool(expandToolName) !== undefined,
        reduces: knownTool(reduceToolName) !== undefined,
      }
      return {
        ...set,
        agent,
        tools: registry(offered),
        declared,
        context: combine([
          registered,
          ...(recalls.expands || recalls.reduces ? [recallSource(recalls)] : []), // BS3
          ...(guides ? [skills(location.projectRoot, agent, rules)] : []), // SK3
        ]),
        authorise: makeAuthorise(permissions, rules, knownTool),
        mayTouch: makeMayTouch(permissions, rules),
      }
    }),
  }
})

/** Every key that the runtime composes by itself, in any turn: the sources of the registry, and those beside it (SK3). */
const ownKeys: ReadonlySet<string> = new Set([...builtInSourceKeys, recallKey, skillsKey])

/** A second source of such a key would break each turn that composes the first (SC2). */
function requireOthers({ keys }: SystemContext): Effect.Effect<void, DuplicateSourceKey> {
  const key = keys.find((each) => ownKeys.has(each))
  if (key === undefined) return Effect.void
  const message = `The source ${key} is Holdfast's own. Choose another key, such as program/${key.replace(/^.*\//, "")}.`
  return Effect.fail(new DuplicateSourceKey({ key, message }))
}

/** Sessions of one process may be offered different tools; so many choices are kept. */
const choicesMax = 8

/** The same object for as long as no tool comes or goes: what was encoded for it is found again. */
function sameRegistry(): (tools: readonly Tool[]) => ToolRegistry {
  const known = new Map<string, { readonly tools: readonly Tool[]; readonly registry: ToolRegistry }>()
  return (tools) => {
    const names = tools.map(({ name }) => name).join()
    const found = known.get(names)
    const same = found !== undefined && tools.every((tool, at) => tool === found.tools[at])
    const current = same ? found : { tools, registry: createToolRegistry(tools) }
    keepNewest(known, names, current, choicesMax)
    return current.registry
  }
}

/** Guidance for an agent in a project; made once for each that was asked for last. */
function keptSkills(settings: ContextSettings, permissions: PermissionSettings) {
  const made = new Map<string, SystemContext>()
  return (projectRoot: string, agent: AgentDefinition, rules: TurnRules): SystemContext => {
    const key = [
      projectRoot,
      agent.name,
      ...[...rules.user, ...rules.agent, ...rules.project].map(writeRule),
    ].join("\n")
    const found = Effect.map(loadSkills(settings, projectRoot, nodeInstructionFiles), ({ skills }) => skills)
    const source = made.get(key) ?? skillsSource(found, (name) => maySkill(permissions, rules, name))
    keepNewest(made, key, source, keptMax)
    return source
  }
}

const keptMax = 256

type SourcesIn = (directory: string, nested?: readonly string[]) => BuiltInSources

/** Made once for each of the directories that were asked for last: sealing a source costs more than its look. */
function kept(settings: () => ContextSettings, make: SourcesIn): SourcesIn {
  const made = new Map<string, BuiltInSources>()
  return (directory, nested = []) => {
    const { timeZone, instructions = [] } = settings()
    const key = [directory, ...nested, "", timeZone, ...(instructions ?? [])].join("\0")
    const known = made.get(key) ?? make(directory, nested)
    keepNewest(made, key, known, keptMax)
    return known
  }
}

/** Registries of Locations. One is kept only while it holds a contribution that somebody made. */
function makeSources(settings: () => ContextSettings) {
  const everywhere = makeRegistrations<SystemContext>()
  const registries = new Map<string, { readonly registry: SystemContextRegistry; uses: number }>()
  const builtIn = kept(settings, (directory, nested) => builtInSources(directory, settings(), nested))
  const below = (directory: string) => [...builtIn(directory), ...everywhere.all()]
  const ofBuiltIn = (directory: string) => makeRegistry(() => below(directory))
  const open = (directory: string) => {
    const known = registries.get(directory)
    if (known !== undefined) return known
    const made = { registry: ofBuiltIn(directory), uses: 0 }
    registries.set(directory, made)
    return made
  }
  const hold = (directory: string) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const entry = open(directory)
        entry.uses += 1
        return entry.registry
      }),
      () =>
        Effect.sync(() => {
          const entry = open(directory)
          entry.uses -= 1
          if (entry.uses === 0) registries.delete(directory)
        }),
    )
  return {
    /** What is registered for a Location, with the instructions of directories that were met (IN3). */
    at: ({ directory, projectRoot }: Location, met: readonly string[]): Effect.Effect<SystemContext> => {
      const registry = registries.get(directory)?.registry ?? ofBuiltIn(directory)
      const nested = nestedDirectories({ directory, projectRoot }, met)
      return nested.length === 0
        ? registry.current
        : registry.currentOver(builtIn(directory, nested).filter(([key]) => key === instructionsKey))
    },
    contribute: Effect.fnUntraced(function* (
      contribution: string,
      context: SystemContext,
      directory?: string,
    ) {
      if (directory !== undefined) {
        // As Sessions name it: by a link or a relative path it would stand where none ever works.
        const location = yield* locate(directory)
        if (location === null) {
          const message = `There is no directory ${directory}. Create it or name another.`
          return yield* new LocationMissing({ directory, message })
        }
        const registry = yield* hold(location.directory)
        return yield* registry.contribute(contribution, context)
      }
      // Wherever it would stand beside another of the same key, the composition would break (SC2).
      const places = ["/", ...registries.keys()].map(
        (place) => registries.get(place)?.registry ?? ofBuiltIn(place),
      )
      for (const registry of places) yield* Effect.scoped(registry.contribute(contribution, context))
      yield* everywhere.register(contribution, context)
    }),
  }
}
