/**
 * Secrets without a shape that are named for what they are: "The password is hunter2." (AU1, MM1)
 *
 * They are hidden in what is kept beyond a Session alone. A short statement has little to lose, and every later Session reads
 * it; in files and outputs, where fields and variables are called so too, the same would hide what a model has to see. Even
 * here nothing is a secret that may be a word, a name, an algorithm or the place where the secret is kept.
 */
import { escaped, isNoExample, isNoNumber, isNoPlaceholder, type Shape, shapesOfSecrets } from "./shapes.ts"

const spelled = (words: readonly string[]): readonly string[] => [
  ...new Set(
    words.flatMap((word) => [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()]),
  ),
]

const passwords = spelled(["password", "passwort", "passphrase", "passcode", "passwd", "pwd"])
const keys = spelled([
  "API key",
  "token",
  "secret",
  ...["api", "access", "secret", "signing", "encryption", "license", "client", "deploy"].flatMap((kind) => [
    `${kind} key`,
    `${kind}_key`,
    `${kind}-key`,
  ]),
])

const assigns = String.raw`\s{0,3}(?:=|:)\s{0,3}`
const states = String.raw`\s(?:is|was|ist)\s(?:now\s)?`
const whose = String.raw`["'\x60]?(?:\s(?:for|of)\s[^.;=:"'\x60⟦]{1,60}?)?`
const bare = String.raw`([^\s"'\x60,;]{4,256}?)(?=[.!?]?(?:[\s"'\x60,;)]|$))`
const quoted = String.raw`["'\x60]([^"'\x60]{4,256})["'\x60]`

/** Found only in whole texts, never in a stream. */
const said = (leads: readonly string[], rest: string, accepts: Shape["accepts"]): Shape => ({
  kind: "said",
  leads,
  pattern: new RegExp(`(?:${leads.map(escaped).join("|")})${rest}`, "dy"),
  open: null,
  // A mask says that it is one, too.
  before: /[A-Za-z0-9⟦]/,
  accepts,
})

const hasDigit = (value: string): boolean => /\d/.test(value)

/** The name of a variable, a call, or what a computer does with a secret. */
const isName = (value: string): boolean =>
  !isNoPlaceholder(value) ||
  /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|[({<]|\benv\b|[⟦⟧]/.test(value) ||
  /\/.*\.\w{1,5}$/.test(value) ||
  /(?:^|[^A-Za-z0-9])(?:base|sha|md|argon|oauth|uuid|aes|rsa|[hre]s|utf|pbkdf|ed|scrypt|bcrypt|v)-?v?\d{1,4}[a-z]{0,2}(?:$|[^A-Za-z0-9])/i.test(
    value,
  )

const lettersMin = 12

/** An example of a secret is nothing that a later Session needs, and may be none. */
const examplesToo = (shape: Shape): Shape => {
  if (shape.accepts === isNoExample) return { ...shape, accepts: () => true }
  return shape.accepts === isNoNumber
    ? { ...shape, accepts: (value) => !/^[0-9a-fA-F]+$/.test(value) }
    : shape
}

export const shapesOfExamples: readonly Shape[] = shapesOfSecrets.map(examplesToo)

/** Looked for behind those that have a shape, which may be what they name. */
export const shapesOfStatements: readonly Shape[] = [
  said(passwords, `${whose}(?:${assigns}|${states})${quoted}`, (value) => !isName(value)),
  said(
    passwords,
    `${whose}${assigns}${bare}`,
    (value) => !isName(value) && (/[\d!@#$%^&*+?~]/.test(value) || value.length >= lettersMin),
  ),
  said(passwords, `${whose}${states}${bare}`, (value) => !isName(value) && /[\d!@#$%^&*+?~]/.test(value)),
  said(spelled(["pin"]), `${whose}(?:${assigns}|${states})(\\d{4,12})(?!\\d)`, hasDigit),
  said(
    keys,
    `${whose}(?:${assigns}|${states})["'\\x60]?${bare}`,
    (value) => !isName(value) && value.length >= 8 && hasDigit(value) && /[A-Za-z]/.test(value),
  ),
  said(["-u ", "--user "], `["']?[\\w.@-]{1,64}:${bare}`, (value) => !isName(value) && !/^\d+$/.test(value)),
]
