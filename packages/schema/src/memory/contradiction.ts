/**
 * Which statements cannot hold beside each other (MM1): two values of one setting, two names of one thing, a rule and its
 * negation. What may be an addition is none: "The limit is 5 requests." and "The limit is 10 minutes." both hold.
 *
 * The subject is stored beside a memory, so that a question for it is a question for a key; whether two statements of
 * one subject contradict each other is decided by what they say of it.
 */
import type { MemoryCategory } from "./memory.ts"

/** What two statements are compared by: case, spaces and the full stop at the end make no difference. */
export const memoryContent = (text: string): string =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[.!]+$/, "")

/** What it is a statement about; null where it contradicts nothing by its form. */
export const subjectOf = (category: MemoryCategory, text: string): string | null =>
  claimOf(category, text)?.subject ?? null

export interface Statement {
  readonly category: MemoryCategory
  readonly text: string
}

export function contradicts(a: Statement, b: Statement): boolean {
  const [one, two] = [claimOf(a.category, a.text), claimOf(b.category, b.text)]
  if (one === null || two === null || one.subject !== two.subject) return false
  if (one.denies || two.denies) return one.denies !== two.denies && one.says === two.says
  if (one.says === two.says) return false
  return one.measure === null || two.measure === null || one.measure === two.measure
}

/** Whether the text takes back what another states, or the other way round: a rule and its negation, not two values. */
export function turnsRound(other: Statement, text: string): boolean {
  const { category } = other
  return claimOf(category, text)?.says === "" && contradicts({ category, text }, other)
}

interface Claim {
  readonly subject: string
  /** Empty of a rule, which is said or denied as a whole. */
  readonly says: string
  /** It says that this is not so. */
  readonly denies: boolean
  /** What a quantity is one of, such as a time: those of different measures may both hold. */
  readonly measure: string | null
}

function claimOf(category: MemoryCategory, text: string): Claim | null {
  const content = memoryContent(text)
  const numbered = versionOf(content) ?? limitsOf(content)
  if (numbered !== null) return numbered
  const setting = settingOf(content)
  if (category === "CONFIG_VALUES") return setting
  // A number is a value wherever it is said; any other word may be one of several that hold of a thing.
  if (setting !== null && /^["'`v$]?\d/.test(setting.says)) return setting
  return (category === "NAMING" ? nameOf(content) : null) ?? ruleOf(category, content)
}

const separator = String.raw`(?:\s*[=:]\s*|\s+is\s+)(?:set to\s+)?`
const amount =
  "[\\d.,_]+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety"
const quantity = String.raw`(?:${amount})\s?([a-zµ%]+)((?: per |\/)[a-z]+)?`

const oneWord = new RegExp(String.raw`^(.{2,120}?)${separator}(\S+)$`)
const severalWords = new RegExp(
  String.raw`^(.{2,120})${separator}(${quantity}|"[^"]+"|'[^']+'|${"`[^`]+`"})$`,
)
const measured = new RegExp(`^${quantity}$`)

/** A value is one word, a quantity or something in quotes: more words may say under which conditions it is the value. */
function settingOf(content: string): Claim | null {
  const said = content.replace(/ is not (?=\S+$)/, " is ")
  const [, subject, says] = oneWord.exec(said) ?? severalWords.exec(said) ?? []
  if (subject === undefined || says === undefined) return null
  return { subject, says, denies: said !== content, measure: measureOf(says) }
}

/** Null for what is no quantity with a unit. */
function measureOf(value: string): string | null {
  const [, unit, per = ""] = measured.exec(value) ?? []
  if (unit === undefined) return null
  if (times.test(unit)) return `time${per}`
  return `${sizes.test(unit) ? "size" : unit.replace(/s$/, "")}${per}`
}

const times =
  /^(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|weeks?|months?|years?)$/
const sizes = /^(?:b|bytes?|[kmgt]i?b?|kilobytes?|megabytes?|gigabytes?)$/

const number = String.raw`v?\d+(?:[._]\d+)*`
/** What there is one of at a time, whatever it is of. */
const only =
  "(?:the )?(?:current|latest|newest|default|minimum|maximum|lowest|highest)(?: (?:one|version|release|value))?"
/** Things of which a project needs one version: of ports, tickets or servers it may need several. */
const versioned =
  "node(?:\\.?js)?|python|java|jdk|jre|go|golang|rust|ruby|php|perl|kotlin|scala|swift|typescript|dotnet|\\.net|deno|bun|npm|pnpm|yarn|gradle|maven|cmake|gcc|clang|xcode|terraform|postgres(?:ql)?|mysql|mariadb|sqlite|redis|mongodb|react|vue|angular|svelte|django|rails|spring(?: boot)?|laravel|kubernetes"
const currentVersion = new RegExp(`^(.{2,60}?) (${number}) is (${only})$`)
const neededVersion = new RegExp(
  `^((?:the )?(?:${versioned})(?: version)?|(?:the )?version) (${number}) (is (?:needed|required|mandatory)(?: .{1,80})?)$`,
)
const needsVersion = new RegExp(
  `^(.{0,80}?(?:needs?|requires?) (?:${versioned})(?: version)?) (${number})( or (?:later|newer|higher|above))?$`,
)

const deniedVersion = new RegExp(`( ${number}) is not `)

/** "Node 20 is needed", "Version 1.2.3 is current", "The build needs Node 20": one version at a time, of one thing. */
function versionOf(content: string): Claim | null {
  const said = content.replace(deniedVersion, "$1 is ")
  for (const shape of [currentVersion, neededVersion, needsVersion]) {
    const [, before, says, after = ""] = shape.exec(said) ?? []
    if (before !== undefined && says !== undefined)
      return { subject: `${before} # ${after}`, says, denies: said !== content, measure: null }
  }
  return null
}

const bound = String.raw`(?:max(?:imum)?|min(?:imum)?|at most|at least|no more than|no fewer than|no less than|up to)`
const limited = new RegExp(
  String.raw`\b(${bound} |(?:, | and | or )(?:${bound} )?)(${number})(?= [a-zµ%])`,
  "g",
)
const bounded = new RegExp(String.raw`\b${bound} ${number} [a-zµ%]`)

/** "Max 3 retries and 5 workers": the same limits of the same things. A number that is no limit says of what they are. */
function limitsOf(content: string): Claim | null {
  if (!bounded.test(content) || content.search(negations) >= 0) return null
  const says: string[] = []
  const subject = content.replaceAll(limited, (_, before: string, value: string) => {
    says.push(value)
    return `${before}#`
  })
  return { subject, says: says.join(" "), denies: false, measure: null }
}

/** "The class is called Server": of a thing, not of one of several. */
function nameOf(content: string): Claim | null {
  const [, subject, says] = /^(the .{2,120}?) is (?:called|named) (\S+)$/.exec(content) ?? []
  return subject === undefined || says === undefined
    ? null
    : { subject: `NAMING: ${subject}`, says, denies: false, measure: null }
}

const negations = /\b(?:do not|don't|must not|should not|is not|are not|never|not)\b ?/g
const affirmed: Readonly<Record<string, string>> = {
  "must not": "must ",
  "should not": "should ",
  "is not": "is ",
  "are not": "are ",
}

/** A rule with at most one negation, which is then all that two of them differ by. */
function ruleOf(category: MemoryCategory, content: string): Claim | null {
  const count = content.match(negations)?.length ?? 0
  if (count > 1) return null
  const rule = content
    .replaceAll(negations, (found) => affirmed[found.trim()] ?? "")
    .replaceAll(/\balways /g, "")
    .trim()
  return rule.includes(" ")
    ? { subject: `${category}: ${rule}`, says: "", denies: count === 1, measure: null }
    : null
}
