/**
 * What is said of a model that cannot be used: which name is meant, or which key is missing.
 *
 * A provider that is known by name and not configured lacks its key, so the key is what is asked for.
 * Of a name that nothing knows the nearest ones are told, and never a whole list: `holdfast models`
 * is for that.
 */
import { Effect, Result } from "effect"
import { catalogModels } from "@holdfast/llm"
import { ModelNotFound } from "@holdfast/schema/error"
import { formatModelRef, type ModelRef } from "@holdfast/schema/model"
import { nearNames } from "@holdfast/schema/names/near-names"
import type { Credentials } from "./credentials/credentials.ts"
import type { CredentialFault } from "./credentials/fault.ts"
import type { Environment } from "./directories.ts"
import type { FetchedCatalog } from "./fetched-catalog.ts"
import { findKnown, keyVariableNames, knownNames } from "./known-providers.ts"
import { findNamed, type Naming } from "./model-name.ts"
import type { ProviderSettings, Settings } from "./settings.ts"

type Misnaming = Exclude<Naming, { readonly kind: "named" }>

export interface ModelSpace {
  readonly settings: Settings
  readonly environment: Environment
  readonly catalog: FetchedCatalog
  /** Told first among those that are configured. */
  readonly preferred: ModelRef | null
}

export const keyNotFound = (ref: ModelRef, { message }: CredentialFault): ModelNotFound =>
  new ModelNotFound({
    model: formatModelRef(ref),
    message: `The provider ${ref.provider} ${message}`,
    code: "credential",
  })

export const noneChosen = (space: ModelSpace): ModelNotFound =>
  new ModelNotFound({
    model: "default",
    message: `No model is chosen. Set "model" in holdfast.jsonc, or name one: --model on the command line, \`model\` in a program. ${listed(space)}`,
  })

export const notNamed = Effect.fnUntraced(function* (
  space: ModelSpace,
  ref: ModelRef,
  naming: Misnaming,
  credentials: Credentials,
): Effect.fn.Return<ModelNotFound> {
  const known = naming.kind === "no-provider" ? findKnown(ref.provider, space.environment) : null
  if (known === null) return misnamed(space, ref, naming)
  const wouldBe = namingWith(space, ref, known)
  if (wouldBe.kind !== "named") return misnamed(space, ref, wouldBe)
  const read = yield* Effect.result(credentials.read(known.key, "describe"))
  if (Result.isFailure(read)) return keyNotFound(ref, read.failure)
  const { provider } = ref
  const message = `The provider ${provider} is not configured. Name it in holdfast.jsonc: {"providers": {"${provider}": {}}}.`
  return new ModelNotFound({ model: formatModelRef(ref), message })
})

/**
 * The first model of the fallback list that nothing knows. One whose key is missing is no fault: it
 * is passed over, and the same file serves a machine that has the key.
 */
export function findFallbackFault(space: ModelSpace): ModelNotFound | null {
  const named = (space.settings.fallback ?? []).map((ref) => ({ setting: "fallback", ref }))
  return unknownNames(space, named)[0]?.fault ?? null
}

/** What is told of each model for work beside the turns that nothing knows, with what happens then. */
export const helperFaults = (space: ModelSpace): readonly string[] =>
  unknownNames(space, helperModels(space.settings)).map(
    ({ setting, fault: { message } }) =>
      `${message} It is passed over; where no other model is named there, ${inItsPlace[setting.split(".", 1)[0] ?? ""]}.`,
  )

const inItsPlace: Readonly<Record<string, string>> = {
  titleModel: "the first line of the prompt stays the title",
  historian: "the built-in historian writes the history",
  dreamer: "the dreamer does what needs no model",
  sidekick: "nothing is looked up before a prompt",
}

interface NamedBy {
  readonly setting: string
  readonly ref: ModelRef
}

/** Models that settings name for work beside the turns. */
export function helperModels({ titleModel, historian, dreamer, sidekick }: Settings): readonly NamedBy[] {
  const named = { historian, dreamer, sidekick }
  return [
    { setting: "titleModel", ref: titleModel },
    ...Object.entries(named).flatMap(([setting, said]) => [
      { setting: `${setting}.model`, ref: said?.model ?? null },
      ...(said?.fallback ?? []).map((ref) => ({ setting: `${setting}.fallback`, ref })),
    ]),
  ].flatMap(({ setting, ref }) => (ref === null ? [] : [{ setting, ref }]))
}

const unknownNames = (space: ModelSpace, named: readonly NamedBy[]) =>
  named.flatMap(({ setting, ref }) => {
    const { settings, environment } = space
    const provider = settings.providers.get(ref.provider) ?? findKnown(ref.provider, environment)
    const naming: Naming = provider === null ? { kind: "no-provider" } : namingWith(space, ref, provider)
    if (naming.kind === "named") return []
    const { model, message } = misnamed(space, ref, naming)
    const fault = new ModelNotFound({ model, message: `"${setting}" names ${model}. ${message}` })
    return [{ setting, fault }]
  })

const namingWith = ({ settings, catalog }: ModelSpace, ref: ModelRef, provider: ProviderSettings): Naming =>
  findNamed(
    { ...settings, providers: new Map([...settings.providers, [ref.provider, provider]]) },
    catalog,
    ref,
  )

const misnamed = (space: ModelSpace, ref: ModelRef, naming: Misnaming): ModelNotFound =>
  new ModelNotFound({
    model: formatModelRef(ref),
    message: `${misnaming(ref, naming)} ${advice(space, ref, naming)}`,
  })

function misnaming(ref: ModelRef, naming: Misnaming): string {
  if (naming.kind === "no-provider") return `There is no provider ${ref.provider}.`
  if (naming.kind === "no-model") return `The provider ${ref.provider} has no model ${ref.model}.`
  return `The model ${ref.provider}/${naming.model} has no variant ${ref.model.slice(naming.model.length + 1)}.`
}

/** Names in one sentence. */
const nearMax = 3
const listedMax = 6

function advice(space: ModelSpace, ref: ModelRef, naming: Misnaming): string {
  if (naming.kind === "no-variant")
    return naming.variants.length === 0 ? "It has none." : `It has ${naming.variants.join(", ")}.`
  const { settings } = space
  const near =
    naming.kind === "no-model"
      ? nearNames(ref.model, namesOf(space, [ref.provider]).map(modelIn)).map(
          (name) => `${ref.provider}/${name}`,
        )
      : nearNames(formatModelRef(ref), namesOf(space, [...settings.providers.keys(), ...knownNames()]))
  if (near.length === 0) return listed(space)
  return `Did you mean ${near.slice(0, nearMax).join(" or ")}? \`holdfast models\` lists what there is.`
}

function listed(space: ModelSpace): string {
  const { settings, preferred } = space
  const configured = [...settings.providers].flatMap(([name, { ambient }]) =>
    ambient === true ? [] : [name],
  )
  if (configured.length === 0) {
    const [first, ...others] = keyVariableNames()
    return `No provider is configured: set ${first} (or ${others.slice(0, 3).join(", ")}, …), or describe one in holdfast.jsonc.`
  }
  const all = namesOf(space, configured)
  const first = preferred === null ? [] : all.filter((name) => name === formatModelRef(preferred))
  const names = [...new Set([...first, ...all])]
  const more = names.length - listedMax
  const rest = more > 0 ? ` and ${more} more; \`holdfast models\` lists them` : ""
  return `Configured: ${names.slice(0, listedMax).join(", ")}${rest}.`
}

/** Every name that is known of these providers: of the settings, the embedded copy and what was fetched. */
function namesOf({ settings, catalog }: ModelSpace, providers: readonly string[]): readonly string[] {
  const own = (provider: string) => [...(settings.providers.get(provider)?.models.keys() ?? [])]
  return [
    ...new Set([
      ...providers.flatMap((provider) => own(provider).map((model) => formatModelRef({ provider, model }))),
      ...providers.flatMap((provider) => catalogModels(provider).map(formatModelRef)),
      ...[...catalog.keys()].filter((name) => providers.includes(name.slice(0, name.indexOf("/")))),
    ]),
  ]
}

const modelIn = (name: string): string => name.slice(name.indexOf("/") + 1)
