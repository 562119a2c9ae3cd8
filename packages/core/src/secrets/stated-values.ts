/**
 * What is taken for a secret behind a word that announces one, as "The password is" (AU1, MM1).
 *
 * Nothing is that may be a word, a name, an algorithm, the type of a field or the place where the secret is kept: most
 * statements about passwords and keys tell none.
 */
import { isNoPlaceholder } from "./shapes.ts"

/** "The password is …": one word may be an adjective. */
export const isStatedPassword = (value: string): boolean => !isName(value) && isOdd(value)

/** "password: …": what is long enough is none either, but for a name of a program. */
export const isAssignedPassword = (value: string): boolean =>
  !isName(value) && (isOdd(value) || (value.length >= lettersMin && !identifier.test(value)))

/** "password: swordfish.", with nothing else behind it. */
export const isLoneWord = (value: string): boolean =>
  !isName(value) && value === value.toLowerCase() && isNoDescription(value)

/** Letters and digits, where no word says that it is one: "with password …". */
export const isMade = (value: string): boolean =>
  value.length >= madeMin &&
  !isName(value) &&
  !(isTitle(value) && /\W|_/.test(value)) &&
  hasDigit(value) &&
  hasLetter(value)

/** "8-символьный", "минимум-12": of how many signs it is. */
export const isMadeAbroad = (value: string): boolean =>
  isMade(value) && !/^\d+[-–]\p{L}+$|^\p{L}+[-–]\d{1,2}$/u.test(value)

export const isNoDate = (value: string): boolean => !/^\d{4}[- ]\d{2}[- ]\d{2}$/.test(value)

export const isQuotedPassword = (value: string): boolean => isMade(value) || isPhrase(value)

/** "password": "Your new password" is what a form says. */
export const isNoLabel = (value: string): boolean =>
  !isName(value) && (hasDigit(value) || !/pass(?:word|wort|phrase)|token/i.test(value))

/** Words that make no sentence. */
export const isPhrase = (value: string): boolean => {
  const words = value.split(" ")
  return (
    words.length >= 3 && words.every((word) => /^\p{L}+$/u.test(word) && isNoDescription(word.toLowerCase()))
  )
}

/** A number among words is part of a phrase, or a measure of something; a phrase has small letters. */
export const isPhraseOrNumbered = (value: string): boolean => {
  const words = value.split(" ").filter((word) => !/^\d+$/.test(word))
  if (words.length === value.split(" ").length) return isPhrase(value)
  return (
    words.length >= 2 &&
    words.every((word) => /^\p{Ll}{3,}$/u.test(word) && isNoDescription(word) && !measures.has(word))
  )
}
export const isPhraseOfFour = (value: string): boolean =>
  value.split(" ").length >= 4 && isPhraseOrNumbered(value)

/** "Password … works": no name of a thing in a program. */
export const isPasswordThatServes = (value: string): boolean =>
  isMade(value) && !/[a-z][A-Z][a-z]|[-_/.]/.test(value)

export const isKey = (value: string): boolean =>
  !isName(value) && ((value.length >= 8 && hasDigit(value) && hasLetter(value)) || isScrambled(value))

/** Letters of both cases, and digits in what is short, that change more often than in any name. */
const isScrambled = (value: string): boolean => {
  const pieces = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 0
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value) || !/^[\w+/=~-]+$/.test(value)) return false
  return hasDigit(value)
    ? value.length >= 6 && value.length / pieces <= 1.7
    : value.length >= 10 && pieces >= 5 && value.length / pieces <= 2.7
}

/** Behind its name alone a title of the key would stand as well. */
export const isGivenKey =
  (lengthMin: number) =>
  (value: string): boolean =>
    value.length >= lengthMin && isKey(value) && (!isTitle(value) || isScrambled(value))

/** Of a header; without a digit it is long, of both cases and no name of a variable. */
export const isHeaderValue = (value: string): boolean =>
  !isName(value) &&
  (hasDigit(value)
    ? hasLetter(value) && !isTitle(value)
    : value.length >= headerLettersMin &&
      /^[A-Za-z]*[A-Z][A-Za-z]*$/.test(value) &&
      !/token|auth|login|user/i.test(value))

/** Letters alone, behind the scheme of a header: no word is so long, and no name so mixed. */
export const isBearer = (value: string): boolean =>
  !isName(value) &&
  !/token|auth|login|user|key|jwt|session|secret|credential|here|holder/i.test(value) &&
  (isScrambled(value) || /^(?:[a-z]{16,}|[A-Z]{16,})$/.test(value))

/** Behind the name of a user; two numbers are a user and a group. */
export const isOfUser = (value: string): boolean => isStatedPassword(value) && hasLetter(value)

export const areCodes = (value: string): boolean =>
  value.split(/[\s,]+/).every((code) => code === "and" || !isName(code))

/** As long as wallets have them, and no sentence: a list of such words has no articles. */
export const isSeedPhrase = (value: string): boolean => {
  const words = value.split(/,?\s/)
  return words.length % 3 === 0 && !words.some((word) => articles.has(word))
}

/** Its check digit is right, and no manual has it. */
export function isCard(value: string): boolean {
  const digits = value.replaceAll(/\D/g, "")
  const sum = [...digits].toReversed().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 0 ? 1 : 2)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return /^[3-6]/.test(digits) && sum % 10 === 0 && !testCards.test(digits)
}
const testCards =
  /^(?:(\d{1,2})\1+\d?$|4111|4012888|4000[05]|5555|5105105|5200828|378282|371449|3782|6011[10]|3056930|3566)/

/** The name of a variable, a call, a place, a measure, or what a computer does with a secret. */
export const isName = (value: string): boolean =>
  !isNoPlaceholder(value) || generic.test(value) || names.some((pattern) => pattern.test(value))

const names: readonly RegExp[] = [
  /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|[({<]|^[\w.$]+\[|^\/\/|\benv\b|[⟦⟧]/,
  // An algorithm, a protocol, a standard.
  /(?:^|[^A-Za-z0-9])(?:base|sha|md|argon|oauth|uuid|aes|rsa|[hrep]s|utf|pbkdf|ed|scrypt|bcrypt|ipv|iso|http|v)-?v?\d{1,5}[a-z]{0,2}(?:$|[^A-Za-z0-9])/i,
  // A file, a directory, an address.
  /\/.*\.\w{1,5}$|\.(?:pem|key|p12|pfx|json|ya?ml|env|txt|toml|crt|cer|jks|gpg|asc|kdbx|[jt]sx?|py|go|rs)$/i,
  /^(?:~|\.{0,2})\/[\w.-]+\/|^~\/|:\/\/|^[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}$/i,
  // "6-digit", "8-64", "100%", "2027-01-31".
  /^\d+[-–][a-z]+(?:-[a-z]+)*$/,
  /^\d{1,3}(?:[-–~]\d{1,4})?[+%]?$|^\d{4}-\d{2}-\d{2}/,
  // "1000/hour", "0.02USD".
  /^\d[\d.,]*\/[a-z]+$|^\d*\.\d+[a-z]{1,4}$/i,
  // "salted+hashed", "required?".
  /^[a-z]+(?:[+&/][a-z]+)+$|^[a-z]+[*?]+$/,
]

/** Words for a secret, which stand in its place: "your-access-token". */
const generic =
  /^(?:(?:your|my|the|some|an?|new|old|access|auth|api|bearer|jwt|id|session|refresh|user|admin|test|token|key|secret|password|passwd|value|here|header|scheme|based|name|hash)[-_. ]?)+\d?$/i

const hasDigit = (value: string): boolean => /\d/.test(value)
const hasLetter = (value: string): boolean => /\p{L}/u.test(value)
const isOdd = (value: string): boolean => /[\d!@#$%^&*+?~]/.test(value)

const madeMin = 6
const lettersMin = 12
const headerLettersMin = 20

/** `req.body.password`, `hashedPassword`, `SecretString`. */
const identifier =
  /^[a-z_]\w*(?:\??\.[a-z_]\w*)+$|password|passwd|secret|token|(?:Str|String|Field|Type|Input|Value|Hash|Encoder|Provider|Service|Manager)$/i

/** Words, each with a short number at most: "jwt-signing-2024", "prod2". */
const isTitle = (value: string): boolean =>
  value.split(/[-_./:]/).every((part) => /^(?:[A-Za-z]+\d{0,2}|\d{1,4})$/.test(part))

/** No word that says what a password is like, or where it is. */
const isNoDescription = (word: string): boolean =>
  !descriptions.has(word) && !articles.has(word) && !/(?:ed|ing|ly|able|ible|ive)$/.test(word)

const articles: ReadonlySet<string> = new Set(
  "a an the and or but nor not no never none for from of to in on at by with without as is are be was were has have had must may can will shall should would could it its their our your my we you they them per than then this these those if until unless into via before after during each every all any both only once twice when where which while who how so too also just".split(
    " ",
  ),
)

/** What a number beside them counts. */
const measures: ReadonlySet<string> = new Set(
  "bcrypt argon scrypt pbkdf cost rounds round iterations salt days day hours hour weeks months minutes seconds times bits bit entropy version page line section chapter step issue ticket min max attempts tries retries about over under rule level tier part step item row case test suite port release phase sprint".split(
    " ",
  ),
)

const descriptions: ReadonlySet<string> = new Set(
  "string strings text varchar char chars character characters byte bytes number numbers digit digits integer boolean bool object array list map unknown null nil undefined void true false optional mandatory empty blank hidden masked secret secrets password passwords passphrase user users name names login email token tokens key keys unset missing default plain plaintext random same different strong weak short long minimum maximum least most length twelve sixteen eight words word symbols letters vault keychain environment variable variables file files manager store config configuration settings prompt entry field column input output see ask look take get use stored kept read written ephemeral global local public private unique valid invalid wrong right manual automatic external internal numeric alphanumeric memorable human reset policy rules hash".split(
    " ",
  ),
)
