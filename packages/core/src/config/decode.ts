/**
 * Decoding: from the text of a configuration file to Settings, to warnings, or to a failure that
 * names the line, by the table of settings (CF1).
 *
 * Two files, two rights. The user's file may set everything; the project's file comes with whatever
 * was cloned, is not trusted, and may set what the table marks.
 */
import { Result } from "effect"
import type { ConfigurationInvalid } from "@holdfast/schema/error"
import { nearNames } from "@holdfast/schema/names/near-names"
import { type DecodedFrom, keyNames } from "./decode-provider.ts"
import type { Environment } from "./directories.ts"
import {
  type Fault,
  faultAt,
  faultAtEach,
  type Fields,
  firstFault,
  lineOf,
  notedBy,
  openDocument,
} from "./document.ts"
import { schemaKey } from "./setting/schema.ts"
import { isSettingName, type SettingName, settingNames, settingTable } from "./setting/table.ts"
import { noSettings, type Settings } from "./settings.ts"

/** As far as a file can be read. Every fault is noted in the document of its fields; with one nothing may work. */
export interface ReadSettings {
  readonly settings: Settings
  readonly fields: Fields
  /** What was left out or replaced by its default, with what to do. */
  readonly warnings: readonly Fault[]
}

/** `environment` supplies addresses of known providers, the names of their keys and the home directory. */
export function readUserFile(
  file: string,
  text: string,
  environment: Environment,
  tell: Telling = asWarning,
): ReadSettings {
  const fields = openDocument(file, text, null)
  const warnings = judgeUnknown(fields)
  const read = decodeSettings(fields, settingNames, { file, environment, owner: "user" }, tell)
  return { settings: read.settings, fields, warnings: inOrder([...warnings, ...read.warnings]) }
}

export function readProjectFile(file: string, text: string): ReadSettings {
  const fields = openDocument(file, text, null)
  const warnings = [...judgeUnknown(fields, keyNames), ...judgeForbidden(fields)]
  const read = decodeSettings(fields, settingNames.filter(isForProjects), {
    file,
    environment: {},
    owner: "project",
  })
  return { settings: read.settings, fields, warnings: inOrder([...warnings, ...read.warnings]) }
}

/** Without leniency, for settings that a program gives: whatever is wrong is a failure. */
export function decodeUserFile(
  file: string,
  text: string,
  environment: Environment = {},
): Result.Result<Settings, ConfigurationInvalid> {
  const { settings, fields, warnings } = readUserFile(file, text, environment, asFault)
  const { document } = fields
  const fault = firstFault({ ...document, faults: [...document.faults, ...warnings] })
  return fault === null ? Result.succeed(settings) : Result.fail(fault)
}

const isForProjects = (name: SettingName): boolean => settingTable[name].setBy === "user or project"

const inOrder = (faults: readonly Fault[]): readonly Fault[] => [...faults].sort((a, b) => a.line - b.line)

function decodeSettings(
  fields: Fields,
  names: readonly SettingName[],
  from: DecodedFrom,
  tell: Telling = asWarning,
): { readonly settings: Settings; readonly warnings: readonly Fault[] } {
  const warnings: Fault[] = []
  let settings = noSettings
  for (const name of names) {
    const { decode, onFault, otherwise } = settingTable[name]
    const { result, noted } = notedBy(fields.document, () => decode(fields, from))
    const whole = noted.filter((fault) => fault.otherwise === undefined)
    if (whole.length === 0) settings = { ...settings, [name]: result }
    else if (onFault === "error") fields.document.faults.push(...whole)
    else warnings.push(...whole.map((fault) => tell(fault, otherwise, from)))
    for (const fault of noted)
      if (fault.otherwise !== undefined) warnings.push(tell(fault, fault.otherwise, from))
  }
  return { settings, warnings }
}

/** How a setting that cannot be read is told, with what holds otherwise. */
type Telling = (fault: Fault, otherwise: string | null, from: DecodedFrom) => Fault

/** Where nothing holds until it is mended. */
const asFault: Telling = ({ line, message }) => ({ line, message })

/** A project's file lies over the user's. */
function asWarning({ line, message }: Fault, otherwise: string | null, { owner }: DecodedFrom): Fault {
  if (otherwise === null) return { line, message: `${message} It is left out.` }
  const holds = owner === "project" ? "your own setting or its default holds" : "its default holds"
  return { line, message: `${message} Until then ${holds}: ${otherwise}.` }
}

/** A name that nobody knows is left out, unless it was meant for a setting that must not be missed. */
function judgeUnknown(fields: Fields, others: readonly string[] = []): readonly Fault[] {
  const warnings: Fault[] = []
  for (const key of fields.byKey.keys()) {
    if (isSettingName(key) || key === schemaKey || others.includes(key)) continue
    const near = nearNames(key, settingNames)
    const advice = near.length === 0 ? `Known here: ${settingNames.join(", ")}.` : `Did you mean ${near[0]}?`
    const { noted } = notedBy(fields.document, () => faultAt(fields, key, `is not a setting. ${advice}`))
    const mustHold = near.some((name) => isSettingName(name) && settingTable[name].onFault === "error")
    if (mustHold) fields.document.faults.push(...noted)
    else warnings.push(...noted.map(({ line, message }) => ({ line, message: `${message} It is left out.` })))
  }
  return warnings
}

/** What a project may not set: an error where it could spend, expose or run something, else left out. */
function judgeForbidden(fields: Fields): readonly Fault[] {
  const warnings: Fault[] = []
  for (const key of fields.byKey.keys()) {
    if (isSettingName(key) ? isForProjects(key) : !keyNames.includes(key)) continue
    const keys = faultAtEach(
      fields,
      key,
      keyNames,
      "cannot stand in a project's file: whoever has the project could read your key, or send it elsewhere. Set it in your own configuration, and change a key that was stored here.",
    )
    if (keys > 0) continue
    const rest = "cannot be set by a project, whose files are not trusted. Set it in your own configuration."
    if (isSettingName(key) && settingTable[key].onFault === "default")
      warnings.push({ line: lineOf(fields, key), message: `${key} ${rest} It is left out.` })
    else faultAt(fields, key, rest)
  }
  return warnings
}
