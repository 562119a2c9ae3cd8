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
  isBearer,
  isAssignedPassword,
  isCard,
  isGivenKey,
  isHeaderValue,
  isKey,
  isLoneWord,
  isMade,
  isMadeAbroad,
  isName,
  isNoDate,
  isNoLabel,
  isOfUser,
  isPasswordThatServes,
  isPhrase,
  isPhraseOrNumbered,
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
/** In other languages, where nothing here knows the words that describe one. */
const passwordsAbroad =
  "密码 密碼 口令 パスワード 비밀번호 пароль wachtwoord senha hasło heslo lösenord salasana şifre şifresi".split(
    " ",
  )
const passwordsOfTwoWords = ["كلمة المرور", "كلمة السر"]
/** Only where one is assigned: they are words and commands, too. */
const shortPasswords = ["pass", "pw"]
const tokens = ["token", "secret"]
const keyKinds =
  "api access secret signing encryption decryption license client deploy private master shared hmac webhook account"
const codeKinds =
  "access security door entry gate alarm unlock verification authentication auth activation confirmation pairing 2fa mfa otp totp one.time two.factor second.factor multi.factor two.step backup recovery rescue emergency"
/** Keys that are none to anything: of a table, a cache, an object. */
const openKeys =
  "PUBLIC PRIMARY FOREIGN CACHE PARTITION SORT HASH ROW INDEX LOOKUP QUERY ROUTING IDEMPOTENCY GROUP OBJECT STORAGE SHIFT HOT UNIQUE NATURAL SURROGATE TRANSLATION I18N REDIS KAFKA MAP DEDUP FEATURE JIRA PROJECT ISSUE"
/** What is told of a key that is no key itself. */
const aboutKeys =
  "ID IDS NAME NAMES PATH FILE DIR HEADER ALIAS LENGTH SIZE BITS BYTES TYPE KIND PREFIX SUFFIX VERSION URL URI REGION COLUMN FIELD ALG ALGORITHM FINGERPRINT FORMAT TTL COUNT INDEX PATTERN"
const phraseKinds = "seed recovery mnemonic wallet backup"

const quote = "[\"'`“”‘’„]"
const assigns = String.raw`\s{0,3}(?::=|=>|->|→|[=:]{1,2})\s{0,3}[*_]{0,2}\s{0,3}`
const states = String.raw`:?\s(?:is|was|are|remains|stays|ist|lautet|equals|est|es|has\sbeen)(?:\s(?:now|still|currently|simply|(?:re)?set\sto|changed\sto)){0,2}:?\s`
const said = `(?:${assigns}|${states})`
/** What it is for may stand between: "the password for the database of example.org". */
const aside = String.raw`(?:\s[([][^()[\]]{1,30}[)\]])?`
const clause = String.raw`(?:,\s[^.,;=:"'\x60⟦\n()[\]]{1,60},)?`
const whose = String.raw`["'\x60*_]{0,3}${aside}(?:\s(?:for|of|to|on|in|at|von|für)\s(?:[^.,;=:"'\x60⟦\n()[\]]|\.(?=\S)){1,60}?)?${aside}${clause}["'\x60*_]{0,3}`
/** The same where words are told apart by no blanks, or by other words. */
const whoseAbroad = String.raw`(?:\s(?:для|от|к|voor|van|para|do|da|för)\s[^.,;=:："'\x60⟦\n]{1,60}?)?`
const saidAbroad = String.raw`(?:\s{0,3}[:=：＝]\s{0,3}|\s?(?:是|为|為|は|는|은)[:：]?\s{0,2}|\s(?:это|is|é|jest|je|är|on|هي|[—–-])\s)`
const inAscii = String.raw`([!#-&(-+\--:=?-_a-{}~]{4,256}?)(?=[.!?]?(?:["'\x60,;)\]<|]|[^!-~]|$))`
const bare = String.raw`([^\s"'\x60“”‘’„,;<>|⟦⟧]{4,256}?)(?=[.!?]?[*_]{0,2}(?:[\s"'\x60“”‘’„,;)\]|<]|$))`
/** In letters of its own; where words are told apart by no blanks a sentence would be one. */
const inLetters = String.raw`([\p{Script=Cyrillic}\p{Script=Latin}\p{Script=Arabic}\d!#$%&*+.:=?@^_~-]{6,256}?)(?=[.!?]?(?:["'\x60,;)\]<|\s]|$))`
const quoted = String.raw`${quote}([^"'\x60“”‘’„⟦]{4,256})${quote}`
const solid = String.raw`([\w+/=.~-]{6,256})(?![\w+/=~-])`
/** A number in groups, as people write one down. */
const groups = String.raw`(\d{2,4}(?:[ -]\d{2,4}){1,2}|\d(?:[ -]\d){3,7})(?![ -]?\d|\s?(?:digits|bits|bytes|char|mm|ms))`
/** A code, and no count of lines of code. */
const codeEnd = String.raw`(?=[.!]?[*_\x60"']{0,2}(?:$|\n|[.,;)]|\s(?:for|and|or|of|on|since|until|now|today)\b))`
const phraseEnd = String.raw`(?=[.!,;]?[^\S\n]*(?:$|\n)|[.,;]\s)`
const words = String.raw`((?:\p{L}{2,14} ){2,7}\p{L}{2,14})${phraseEnd}`
const numberedWords = String.raw`((?:(?:\p{L}{2,14}|\d{1,6}) ){2,7}(?:\p{L}{2,14}|\d{1,6}))${phraseEnd}`
const manyWords = String.raw`((?:[a-z]{3,8},?\s){11,23}[a-z]{3,8})(?![\w ]*\w)`
const codes = String.raw`((?:(?=[\w-]{0,39}\d)[\w-]{4,40}(?:,?\s(?:and\s)?|,)){0,19}(?=[\w-]{0,39}\d)[\w-]{4,40})(?![\w-])`
const given = String.raw`(?<=(?:\b(?:with|use|using|by)\s(?:(?:the|this|my|our|its)\s)?|--|login\s\S{1,64}\s))`
const serves = "(?:works?|worked|opens|unlocks|lets|gets|grants|logs|(?:is|was)\\s(?:for|of))\\b"
const set = String.raw`(?<=\b(?:set|reset|changed?|updated?)\s(?:\S{1,20}\s){0,3})`

/** `SG_KEY=…`: any key of the environment that is not one of these. */
const variableKey = String.raw`(?<!(?:${openKeys.replaceAll(" ", "|")}))_KEY(?!_(?:${aboutKeys.replaceAll(" ", "|")})\b)(?:_[A-Z0-9]{1,20}){0,2}["']?\s{0,3}[:=]\s{0,3}${quote}?${bare}`

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
  ...named(shortPasswords, `${whose}${assigns}${words}`, isPhrase),
  ...named(passwords, `${whose}${assigns}${numberedWords}`, isPhraseOrNumbered),
  ...named(passwords, `${whose}${states}${numberedWords}`, isPhraseOfFour),
  ...named(passwords, `${whose}${assigns}${bare}`, isAssignedPassword),
  ...named(passwords, String.raw`${whose}${assigns}(\p{L}{6,})(?=[.!]?\s*$|[.!]\s|[,;&])`, isLoneWord),
  ...named(passwords, `${whose}${states}${bare}`, isStatedPassword),
  ...named(shortPasswords, `${assigns}${bare}`, isMade),
  ...named(passwords, String.raw`[*_\x60]{0,2}\s{0,3}\|\s{0,3}${bare}`, isMade),
  ...named(passwords, String.raw`>([^<>\s]{4,256})</`, (value) => !isName(value)),
  ...named(passwords, String.raw`${whose}\s\(${bare}`, isMade),
  ...named(passwords, String.raw`(?:\s|=)${quote}?${bare}`, isMade, given),
  ...named(passwords, String.raw`${whose}\sto\s${quote}?${bare}`, isMade, set),
  ...named(
    passwords,
    String.raw`\s${quote}?${bare}${quote}?(?=\s(?:still\s)?${serves})`,
    isPasswordThatServes,
  ),
  ...named(
    passwords,
    String.raw`${whose}\s(?:(?:was|is|has\sbeen)\s)?(?:changed|reset|rotated|updated|set|switched)\sfrom\s${quote}?${bare}${quote}?\sto\s${quote}?${bare}`,
    isMade,
  ),
  shape(["mdp", "Mdp"], /[A-Za-z0-9⟦]/, `mdp${whose}${said}${quote}?${bare}`, isMade),
  ...named(
    [...passwordsAbroad, ...passwordsOfTwoWords],
    `${whoseAbroad}${saidAbroad}${quote}?${inAscii}`,
    isStatedPassword,
  ),
  ...named(
    [...passwordsAbroad, ...passwordsOfTwoWords],
    `${whoseAbroad}${saidAbroad}${quote}?${inLetters}`,
    isMadeAbroad,
  ),
  ...pins(String.raw`(?:[\s_-]?(?:code|number))?${whose}(?:${said}|\s\(|\sof\s)${quote}?(\d{4,12})(?!\d)`),
  ...pins(String.raw`[\s_-]?(?:code|number)${whose}(?:${said}|\s\(|\sof\s)${quote}?${groups}`),
  ...pins(String.raw`(?:\scode)?\s${quote}?(\d{4,8})(?![\w-])`, given),
  shape(["PIN"], /[A-Za-z0-9⟦]/, `pin${whose}${said}${quote}?${groups}`, () => true),
  // Written so by those who name a secret; a pin of a board has a lower number, or its board before it.
  shape(
    ["PIN"],
    /[A-Za-z0-9⟦]/,
    String.raw`(?<!\b(?:GPIO|header|board|chip|SIM800)\s)PIN\s${quote}?(\d{4,8})(?![\w-]|\.\d|\s(?:digits|bits|bytes|char|mm|ms|pins))`,
    () => true,
  ),
  ...named(["otp"], String.raw`${whose}${said}${quote}?(\d{4,10})(?![\w-])`, () => true),
  ...ofKind(codeKinds, ["code", "key"], `${whose}${said}${quote}?${codes}`, areCodes),
  ...ofKind(codeKinds, ["code"], `${whose}${said}${quote}?${groups}${codeEnd}`, isNoDate),
  ...ofKind(phraseKinds, ["phrase", "word"], `${whose}${said}${quote}?${manyWords}`, isSeedPhrase),
  ...named(["mnemonic"], `${whose}${said}${quote}?${manyWords}`, isSeedPhrase),
  ...keys(String.raw`${whose}${states}${quote}?${bare}(?:(?:,|,?\s(?:and|or))\s${quote}?${bare})?`, isKey),
  ...keys(`(?:_?base)?${whose}${assigns}${quote}?${bare}`, isKey),
  ...keys(String.raw`\s\(?${quote}${solid}${quote}`, isGivenKey(6)),
  ...keys(String.raw`\s\(?${solid}`, isGivenKey(16)),
  shape(["_KEY"], /[^A-Z0-9]/, variableKey, isGivenKey(8)),
  ...named(
    ["authorization"],
    String.raw`${quote}?\s{0,3}[:=]\s{0,3}${quote}?(?:[\w-]{3,12}\s{1,3})?${solid}`,
    isHeaderValue,
  ),
  ...named(
    ["authorization"],
    String.raw`${quote}?\s{0,3}[:=]\s{0,3}${quote}?(?:bearer|token|apikey)\s{1,3}([A-Za-z]{12,256})(?![\w+/=.~-])`,
    isBearer,
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
