/** Diagnosis: what the facts mean, as findings with a remedy. Pure: the facts come in as values. */
import type { Examination, ExaminedProvider } from "@holdfast/sdk"
import { age, bytes, clip, count } from "../figures.ts"
import { instructionWarning } from "../instructions.ts"
import { statusWords } from "../sessions/status-words.ts"
import { type Degraded, judgeDegraded } from "./degraded.ts"
import { type Finding, listed, ok, problem, warning } from "./finding.ts"

export interface Section {
  readonly name: string
  readonly findings: readonly Finding[]
}

export interface Diagnosis {
  readonly type: "diagnosis"
  /** There is no problem, and nothing is degraded, as the health of a server has it. */
  readonly healthy: boolean
  readonly problems: number
  readonly warnings: number
  readonly version: string
  readonly sections: readonly Section[]
}

export interface RuntimeFacts {
  readonly version: string
  readonly node: string
  readonly platform: string
  readonly program: "bundle" | "sources"
}

/** Whether somebody answers at the address of a provider. */
export type Reach =
  | { readonly kind: "answers"; readonly ms: number }
  | { readonly kind: "silent"; readonly problem: string }
  | { readonly kind: "not-asked" }

/** A server that has left its record in the data directory. */
export type ServerFacts =
  | { readonly kind: "none" }
  | {
      readonly kind: "answers"
      readonly url: string
      readonly pid: number
      readonly version: string
      /** That it works with other files than those that are looked at here, or null. */
      readonly elsewhere: string | null
    }
  | { readonly kind: "gone"; readonly file: string; readonly pid: number }
  | {
      readonly kind: "silent"
      readonly url: string
      readonly pid: number
      readonly problem: string
      /** The command line that starts it again. */
      readonly start: string
    }
  | { readonly kind: "unreadable"; readonly file: string; readonly problem: string }

export interface Facts {
  readonly now: number
  readonly runtime: RuntimeFacts
  readonly examination: Examination
  readonly reach: ReadonlyMap<string, Reach>
  readonly server: ServerFacts
  readonly degraded: readonly Degraded[]
}

export const nodeMajorMin = 26
const freeBytesProblem = 50 * 1024 ** 2
const freeBytesWarning = 1024 ** 3

export function diagnose(facts: Facts): Diagnosis {
  const sections: readonly Section[] = [
    {
      name: "Runtime",
      findings: [...judgeRuntime(facts.runtime), judgeContainment(facts.examination.containment)],
    },
    { name: "Data directory", findings: judgeDirectory(facts.examination.directory) },
    { name: "Store", findings: judgeStore(facts.examination.store) },
    { name: "Sessions", findings: judgeSessions(facts.examination, facts.now) },
    {
      name: "Configuration",
      findings: [
        ...judgeConfiguration(facts.examination.configuration),
        ...facts.examination.instructions.map(instructionWarning).map((said) => warning(...said)),
      ],
    },
    { name: "Providers", findings: judgeProviders(facts.examination.configuration, facts.reach) },
    { name: "Server", findings: judgeServer(facts.server) },
    { name: "Background work", findings: judgeDegraded(facts.degraded, facts.now) },
  ]
  const levels = sections.flatMap(({ findings }) => findings.map(({ level }) => level))
  const problems = levels.filter((level) => level === "problem").length
  const warnings = levels.filter((level) => level === "warning").length
  const { version } = facts.runtime
  const healthy = problems === 0 && facts.degraded.length === 0
  return { type: "diagnosis", healthy, problems, warnings, version, sections }
}

function judgeRuntime({ node, platform, program }: RuntimeFacts): readonly Finding[] {
  const text = `Node ${node} on ${platform}, run from the ${program}`
  return Number(node.split(".")[0]) >= nodeMajorMin
    ? [ok("runtime", text)]
    : [problem("runtime_old", text, `Run Holdfast on Node ${nodeMajorMin} or newer.`)]
}

function judgeContainment(containment: Examination["containment"]): Finding {
  return ok(`containment_${containment}`, containmentTexts[containment])
}

const containmentTexts: Readonly<Record<Examination["containment"], string>> = {
  group: "each command runs in a control group of its own: nothing that it starts can hide and live on",
  namespace:
    "each command runs in a PID namespace of its own: nothing that it starts can hide and live on, and later commands cannot see what it left in the background",
  mark: "what a command starts is known by its process group and a mark in its environment: a child that leaves the group and clears its environment lives on",
}

function judgeDirectory(directory: Examination["directory"]): readonly Finding[] {
  const { path, state, mode, writable, freeBytes } = directory
  if (state === "no-directory")
    return [
      problem(
        "data_no_directory",
        `${path} is no directory.`,
        "Check the path, or name another with --data-dir.",
      ),
    ]
  if (state === "unreachable")
    return [
      problem(
        "data_unreachable",
        `${path} cannot be looked into: ${directory.problem}`,
        "Check its permissions.",
      ),
    ]
  const findings: Finding[] = []
  if (state === "absent") {
    findings.push(
      writable
        ? ok("data_absent", `${path} is not there yet; the first run makes it`)
        : problem(
            "data_not_makable",
            `${path} is not there and cannot be made.`,
            "Check the permissions above it.",
          ),
    )
  } else if (writable) findings.push(ok("data", `${path}, ${bytes(directory.bytes)}`))
  else {
    findings.push(
      problem(
        "data_read_only",
        `${path} cannot be written.`,
        "Check its owner, its permissions and its disk.",
      ),
    )
  }
  if (mode !== null && (mode & 0o077) !== 0) {
    const text = `Others may look into it (mode ${mode.toString(8)}).`
    findings.push(warning("data_open", text, `chmod 700 ${path}`))
  }
  if (freeBytes !== null) {
    const text = `${bytes(freeBytes)} free on its disk`
    if (freeBytes < freeBytesProblem)
      findings.push(problem("disk_full", text, "Free some space on this disk."))
    else if (freeBytes < freeBytesWarning)
      findings.push(warning("disk_low", text, "Free some space on this disk."))
    else findings.push(ok("disk", text))
  }
  return findings
}

function judgeStore(store: Examination["store"]): readonly Finding[] {
  const { file, state, failure, schemaVersion, schemaVersionKnown } = store
  if (state === "absent") return [ok("store_absent", "no store yet; the first run makes it")]
  const copyFirst = `Keep ${file}: copy it and what lies beside it before any other work.`
  const found: Finding[] = []
  if (failure !== null) {
    const remedy = { corrupt: copyFirst, mismatch: copyFirst }[failure.code as "corrupt" | "mismatch"]
    const text = `${failure.message.replace(/ (Run|do not)[^.]*doctor[^.]*\./, "")} (${failure.detail})`
    found.push(problem(`store_${failure.code}`, text, remedy ?? null))
  }
  found.push(...listed(store.integrity, (line) => problem("store_integrity", clip(line, 200), copyFirst)))
  if (store.index.length > 0)
    found.push(
      warning(
        "search_index",
        `The search index is damaged (${clip(store.index[0] ?? "", 200)}). Sessions go on, and nothing of them is lost.`,
        "holdfast doctor --rebuild makes it anew; mostly the next holdfast search does, too.",
      ),
    )
  found.push(
    ...listed(store.damage, ({ session, seq, problem: what }) => {
      const record = [session, seq === null ? null : `record ${seq}`]
        .filter((part) => part !== null)
        .join(", ")
      const text = record === "" ? what : `${record}: ${what}`
      return problem(
        "store_damaged",
        text,
        session === null ? copyFirst : `${copyFirst} What is sound of the Session still loads.`,
      )
    }),
  )
  found.push(
    ...listed(store.stale, ({ session, table }) =>
      problem(
        "store_stale",
        `${session}: the table ${table} differs from the log`,
        "holdfast doctor --rebuild writes it anew from the log.",
      ),
    ),
  )
  if (found.length > 0) return found
  if (schemaVersion === 0) return [ok("store_empty", "the store is empty; the first run makes its tables")]
  if (schemaVersion !== null && schemaVersion < schemaVersionKnown) {
    return [
      ok("store_older", `version ${schemaVersion}; the next run brings it to version ${schemaVersionKnown}`),
    ]
  }
  return [
    ok(
      "store",
      `${count(store.sessions, "Session")}, ${count(store.events, "record")}, version ${schemaVersion}`,
    ),
    ok("store_sound", "every record is sound, every projection equals the log"),
  ]
}

function judgeSessions({ leases, unfinished }: Examination, now: number): readonly Finding[] {
  const dead = leases.filter(({ owner }) => owner === "gone")
  const live = leases.filter(({ owner }) => owner !== "gone")
  const owing = unfinished.filter(({ status }) => status.state !== "running")
  const findings = [
    ...listed(live, ({ session, pid, owner }) =>
      ok(
        "lease",
        `${session} is led by process ${pid}${owner === "unknown" ? ", perhaps on another machine" : ""}`,
      ),
    ),
    ...listed(dead, ({ session, pid }) =>
      warning(
        "lease_dead",
        `${session} was led by process ${pid}, which is gone`,
        "The next start of Holdfast settles what it left open.",
      ),
    ),
    ...listed(owing, ({ session, title, status, updatedAt }) => {
      const why = status.reason === null ? "" : `: ${status.reason.message}`
      const asks = status.state === "asking"
      const waits = asks ? count(status.asks, "open ask") : count(status.pending, "pending prompt")
      const debt = status.owing ? "owes an answer" : `has ${waits}`
      const text = `${session} ${debt}, ${statusWords[status.state]} for ${age(now - updatedAt)}${why}`
      return warning(
        "session_unfinished",
        title === null ? text : `${text} (${clip(title, 40)})`,
        asks ? `holdfast asks ${session}` : `holdfast resume ${session}`,
      )
    }),
  ]
  return findings.length > 0 ? findings : [ok("sessions", "nobody leads a Session, and none owes an answer")]
}

function judgeConfiguration(configuration: Examination["configuration"]): readonly Finding[] {
  const findings = configuration.layers.flatMap((layer): readonly Finding[] => {
    const place = layer.file ?? "environment"
    const faults = layer.faults.map(({ line, message }) =>
      problem(
        "configuration_invalid",
        placed(layer.file, line, message),
        layer.file === null || line === 0 ? null : `Mend line ${line} of ${place}.`,
      ),
    )
    const warnings = (layer.warnings ?? []).map(({ line, message }) =>
      warning("configuration_left_out", placed(layer.file, line, message), `Mend line ${line} of ${place}.`),
    )
    if (faults.length > 0) return [...faults, ...warnings]
    if (layer.state === "disabled")
      return [ok("configuration_disabled", `${place}: not read, HOLDFAST_DISABLE_PROJECT_CONFIG is set`)]
    if (layer.state === "absent")
      return [ok("configuration_absent", `${place}: ${layer.file === null ? "sets nothing" : "not there"}`)]
    const tops = layer.file === null ? layer.sets : layer.sets.filter(({ key }) => !key.includes("."))
    const sets = tops.map(({ key, line }) => (line === 0 ? key : `${key} (line ${line})`))
    const found = ok("configuration", `${place}: ${sets.length === 0 ? "sets nothing" : sets.join(", ")}`)
    return [found, ...warnings]
  })
  return findings
}

/** A fault of the environment names its variable itself; one of a whole file has no line. */
function placed(file: string | null, line: number, message: string): string {
  if (file === null) return message
  return line === 0 ? `${file}: ${message}` : `${file}:${line}: ${message}`
}

function judgeProviders(
  {
    layers,
    providers,
    model,
    modelProblem,
    modelLacksKey = false,
    fallbackProblems = [],
    helperProblems = [],
  }: Examination["configuration"],
  reach: ReadonlyMap<string, Reach>,
): readonly Finding[] {
  if (providers.length === 0 && layers.some(({ faults }) => faults.length > 0)) {
    return [ok("providers_unknown", "not known before the configuration is mended")]
  }
  const none = (what: string) => ok("providers_none", `none is ${what}: the offline model answers`)
  const unusable = [
    ...fallbackProblems.map((said) => warning("fallback", `fallback: ${said}`, null)),
    ...helperProblems.map(({ setting, message }) => warning("helper_model", `${setting}: ${message}`, null)),
  ]
  if (providers.length === 0 && model === null && unusable.length === 0) return [none("configured")]
  const chosen = model?.slice(0, model.indexOf("/")) ?? null
  const findings = providers.flatMap((provider): readonly Finding[] => [
    judgeProvider(provider, reach.get(provider.name) ?? { kind: "not-asked" }, provider.name === chosen),
  ])
  if (model === null && providers.every(({ ambient }) => ambient === true))
    findings.push(none(providers.length === 0 ? "configured" : "chosen"))
  else if (modelProblem !== null) {
    // A key that is missing is told of its provider, with what to do.
    const told =
      modelLacksKey && findings.some(({ code, level }) => code === "provider_key" && level === "problem")
    if (!told) findings.push(problem("model", modelProblem, null))
  } else if (model !== null) findings.push(ok("model", `a new Session here speaks to ${model}`))
  return [...findings, ...unusable]
}

/** What the chosen model needs is a problem; a provider that nobody asked for is worth a warning. */
function judgeProvider(provider: ExaminedProvider, reach: Reach, chosen: boolean): Finding {
  const { name, baseUrl, key, keyVariable, keyFrom, keyProblem } = provider
  const wrong = chosen ? problem : warning
  if (key === "missing" && keyVariable === null && keyProblem !== undefined)
    return wrong("provider_key", `${name}: ${keyProblem}`, null)
  if (key === "missing") {
    return wrong(
      "provider_key",
      `${name}: the variable ${keyVariable} is not set`,
      `Set ${keyVariable} to its key.`,
    )
  }
  const secret = key === "none" ? "no key" : `key from ${keyFrom ?? keyVariable ?? "the file"}`
  if (reach.kind === "silent") {
    return wrong(
      "provider_silent",
      `${name} at ${baseUrl} does not answer: ${reach.problem}`,
      "Check the address, the network and whether the provider runs; --offline leaves this question out.",
    )
  }
  const answer = reach.kind === "answers" ? `answers within ${count(reach.ms)} ms` : "was not asked"
  return ok("provider", `${name} at ${baseUrl} ${answer}, ${secret}`)
}

function judgeServer(server: ServerFacts): readonly Finding[] {
  switch (server.kind) {
    case "none":
      return [ok("server_none", "none runs on this data directory")]
    case "answers":
      return [
        ok("server", `${server.url} answers, process ${server.pid}, version ${server.version}`),
        ...(server.elsewhere === null ? [] : [warning("server_configuration", server.elsewhere, null)]),
      ]
    case "gone":
      return [
        ok(
          "server_gone",
          `process ${server.pid} has ended without removing ${server.file}; nothing waits for it`,
        ),
      ]
    case "silent":
      return [
        problem(
          "server_silent",
          `${server.url} does not answer, but process ${server.pid} lives: ${server.problem}`,
          `End process ${server.pid}, then start it again: ${server.start}`,
        ),
      ]
    case "unreadable":
      return [
        problem(
          "server_unreadable",
          `${server.file} cannot be read: ${server.problem}`,
          `Remove ${server.file}.`,
        ),
      ]
  }
}
