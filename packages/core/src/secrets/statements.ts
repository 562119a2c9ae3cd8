/**
 * Secrets without a shape that are named for what they are: "The password is hunter2." (AU1, MM1)
 *
 * They are hidden in what is kept beyond a Session alone. A short statement has little to lose, and every later Session reads
 * it; in files and outputs, where fields and variables are called so too, the same would hide what a model has to see. A row
 * of the table is what a secret is called, what stands between, and what is taken for one (`stated-values.ts`).
 */
import { isNoExample, isNoNumber, type Shape, shapesOfSecrets } from "./shapes.ts"
import {
  areCodes,
  isAssignedPassword,
  isCard,
  isGivenKey,
  isHeaderValue,
  isKey,
  isLoneWord,
  isMade,
  isName,
  isNoLabel,
  isOfUser,
  isPhrase,
  isPhraseOfFour,
  isQuotedPassword,
  isSeedPhrase,
  isStatedPassword,
} from "./stated-values.ts"

const passwords = [
  ..."password passwort kennwort passphrase pass-phrase passcode passwd pwd".split(" "),
  "pass phrase",
  "mot de passe",
  "contraseña",
]
/** Only where one is assigned: they are words and commands, too. */
const shortPasswords = ["pass", "pw"]
const tokens = ["token", "secret"]
const keyKinds =
  "api access secret signing encryption decryption license client deploy private master shared hmac webhook"
const codeKinds =
  "access security door entry gate alarm unlock verification authentication auth activation confirmation pairing 2fa mfa otp one.time backup recovery rescue emergency"
const phraseKinds = "seed recovery mnemonic wallet backup"

const quote = "[\"'`“”‘’„]"
const assigns = String.raw`\s{0,3}(?::=|=>|->|→|[=:]{1,2})\s{0,3}[*_]{0,2}\s{0,3}`
const states = String.raw`:?\s(?:is|was|are|ist|lautet|equals|est|es|has\sbeen)(?:\s(?:now|still|currently|simply|(?:re)?set\sto|changed\sto)){0,2}:?\s`
const said = `(?:${assigns}|${states})`
/** What it is for may stand between: "the password for the database of example.org". */
const aside = String.raw`(?:\s[([][^()[\]]{1,30}[)\]])?`
const whose = String.raw`["'\x60*_]{0,3}${aside}(?:\s(?:for|of|to|on|in|at|von|für)\s(?:[^.,;=:"'\x60⟦\n()[\]]|\.(?=\S)){1,60}?)?${aside}["'\x60*_]{0,3}`
const bare = String.raw`([^\s"'\x60“”‘’„,;<>|⟦⟧]{4,256}?)(?=[.!?]?[*_]{0,2}(?:[\s"'\x60“”‘’„,;)\]|<]|$))`
const quoted = String.raw`${quote}([^"'\x60“”‘’„⟦]{4,256})${quote}`
const solid = String.raw`([\w+/=.~-]{8,256})(?![\w+/=~-])`
const words = String.raw`((?:\p{L}{2,14} ){2,7}\p{L}{2,14})(?=[.!,;]?\s*$|[.,;]\s)`
const manyWords = String.raw`((?:[a-z]{3,8},?\s){11,23}[a-z]{3,8})(?![\w ]*\w)`
const codes = String.raw`((?:(?=[\w-]{0,39}\d)[\w-]{4,40}(?:,?\s(?:and\s)?|,)){0,19}(?=[\w-]{0,39}\d)[\w-]{4,40})(?![\w-])`
const given = String.raw`(?<=(?:\b(?:with|use|using|by)\s(?:(?:the|this|my|our|its)\s)?|--|login\s\S{1,64}\s))`
const set = String.raw`(?<=\b(?:set|reset|changed?|updated?)\s(?:\S{1,20}\s){0,3})`

/** Found only in whole texts, never in a stream. */
const shape = (
  leads: readonly string[],
  before: RegExp,
  pattern: string,
  accepts: Shape["accepts"],
): Shape => ({
  kind: "said",
  leads,
  pattern: new RegExp(pattern, "diyu"),
  open: null,
  before,
  accepts,
})

/** `password`, `dbPassword` and `PGPASSWORD`, but no other word that ends so; a mask says that it is one, too. */
function named(
  names: readonly string[],
  rest: string,
  accepts: Shape["accepts"],
  ahead = "",
): readonly Shape[] {
  const pattern = `${ahead}(?:${names.join("|")})s?${rest}`
  const capital = names.map((name) => name.charAt(0).toUpperCase() + name.slice(1))
  const upper = names.map((name) => name.toUpperCase())
  return [
    shape(names, /[A-Za-z0-9⟦]/, pattern, accepts),
    shape(capital, /[A-Z0-9⟦]/, pattern, accepts),
    shape(upper, /[a-z0-9⟦]/, pattern, accepts),
  ]
}

/** A thing that is a secret only of some kinds: an API key and no primary key. */
function ofKind(
  kinds: string,
  names: readonly string[],
  rest: string,
  accepts: Shape["accepts"],
): readonly Shape[] {
  const ahead = `(?<=(?:${kinds.split(" ").join("|")})[\\s_-]?)`
  const spellings = names.flatMap((name) => [
    name,
    name.charAt(0).toUpperCase() + name.slice(1),
    name.toUpperCase(),
  ])
  return [shape(spellings, /⟦/, `${ahead}(?:${names.join("|")})s?${rest}`, accepts)]
}

const pins = (rest: string, ahead = ""): readonly Shape[] => [
  shape(["pin", "Pin", "PIN"], /[A-Za-z0-9⟦]/, `${ahead}pin${rest}`, () => true),
]

const keys = (rest: string, accepts: Shape["accepts"]): readonly Shape[] => [
  ...ofKind(keyKinds, ["key"], rest, accepts),
  ...named(tokens, rest, accepts),
]

/** An example of a secret is nothing that a later Session needs, and may be none. */
const examplesToo = (one: Shape): Shape => {
  if (one.accepts === isNoExample) return { ...one, accepts: () => true }
  return one.accepts === isNoNumber ? { ...one, accepts: (value) => !/^[0-9a-fA-F]+$/.test(value) } : one
}

export const shapesOfExamples: readonly Shape[] = shapesOfSecrets.map(examplesToo)

/** Looked for behind those that have a shape, which may be what they name. */
export const shapesOfStatements: readonly Shape[] = [
  ...named(passwords, `${whose}${said}${quoted}`, isNoLabel),
  ...named(passwords, String.raw`${whose}\s\(?${quoted}`, isQuotedPassword),
  ...named([...passwords, ...shortPasswords], `${whose}${assigns}${words}`, isPhrase),
  ...named(passwords, `${whose}${states}${words}`, isPhraseOfFour),
  ...named(passwords, `${whose}${assigns}${bare}`, isAssignedPassword),
  ...named(passwords, String.raw`${whose}${assigns}(\p{L}{6,})(?=[.!]?\s*$|[.!]\s|[,;&])`, isLoneWord),
  ...named(passwords, `${whose}${states}${bare}`, isStatedPassword),
  ...named(shortPasswords, `${assigns}${bare}`, isMade),
  ...named(passwords, String.raw`[*_\x60]{0,2}\s{0,3}\|\s{0,3}${bare}`, isMade),
  ...named(passwords, String.raw`>([^<>\s]{4,256})</`, (value) => !isName(value)),
  ...named(passwords, String.raw`${whose}\s\(${bare}`, isMade),
  ...named(passwords, String.raw`(?:\s|=)${quote}?${bare}`, isMade, given),
  ...named(passwords, String.raw`${whose}\sto\s${quote}?${bare}`, isMade, set),
  ...pins(String.raw`(?:[\s_-]?(?:code|number))?${whose}(?:${said}|\s\(|\sof\s)${quote}?(\d{4,12})(?!\d)`),
  ...pins(String.raw`(?:\scode)?\s${quote}?(\d{4,8})(?![\w-])`, given),
  ...named(["otp"], String.raw`${whose}${said}${quote}?(\d{4,10})(?![\w-])`, () => true),
  ...ofKind(codeKinds, ["code", "key"], `${whose}${said}${quote}?${codes}`, areCodes),
  ...ofKind(phraseKinds, ["phrase", "word"], `${whose}${said}${quote}?${manyWords}`, isSeedPhrase),
  ...named(["mnemonic"], `${whose}${said}${quote}?${manyWords}`, isSeedPhrase),
  ...keys(String.raw`${whose}${states}${quote}?${bare}(?:(?:,|,?\s(?:and|or))\s${quote}?${bare})?`, isKey),
  ...keys(`${whose}${assigns}${quote}?${bare}`, isKey),
  ...keys(String.raw`\s\(?${quote}${solid}${quote}`, isGivenKey(8)),
  ...keys(String.raw`\s\(?${solid}`, isGivenKey(16)),
  ...named(
    ["authorization"],
    String.raw`${quote}?\s{0,3}[:=]\s{0,3}${quote}?(?:[\w-]{3,12}\s{1,3})?${solid}`,
    isHeaderValue,
  ),
  ...named(["bearer"], String.raw`\s${quote}?${solid}`, isGivenKey(8)),
  ...named(
    ["credential", "cred", "login"],
    String.raw`\s?(?::|=|\sis|\sare)\s?${quote}?[\w.@-]{1,64}(?::|\s\/\s)${bare}`,
    isMade,
  ),
  ...named(
    ["card"],
    String.raw`(?:\s?(?:number|no\.?))?${whose}(?:${said}|\s)${quote}?((?:\d[ -]?){12,18}\d)(?!\d)`,
    isCard,
  ),
  shape(["-u ", "--user "], /[A-Za-z0-9⟦]/, String.raw`--?u(?:ser)? ["']?[\w.@-]{1,64}:${bare}`, isOfUser),
  shape(["sshpass "], /[A-Za-z0-9⟦]/, String.raw`sshpass -p\s?["']?${bare}`, (value) => !isName(value)),
  shape(
    ["?sig=", "&sig=", "Signature="],
    /⟦/,
    String.raw`(?:.sig|Signature)=([A-Za-z0-9%+/=_-]{24,512})`,
    (value) => isMade(value),
  ),
]
