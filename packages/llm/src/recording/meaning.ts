/**
 * Request meaning: a body without what means the same to its provider, so that a request which was
 * read and encoded again can be compared with the recorded one.
 *
 * What this project adds by policy (nothing stored, sealed reasoning, a cache key) is left out where
 * the recording has none. The rest is the wire's: shorthand is written out, defaults are left out,
 * and what may stand in several orders stands in one.
 */
import { type Fields, lookUp } from "../json-fields.ts"
import { writtenForms } from "../written-forms.ts"

/** `asked` is the recorded body, which says what of our policy it knows. */
export function requestMeaning(wire: string, body: Fields, asked: Fields): Fields {
  const policy = ["store", "include", "prompt_cache_key"].filter((name) => asked[name] === undefined)
  const kept = Object.entries(body).filter(([name]) => !policy.includes(name) && name !== "store")
  const named = Object.fromEntries(kept.map(([name, value]) => [lookUp(otherNames, name) ?? name, value]))
  return lookUp(writtenForms, wire)?.meaning(named, asked) ?? named
}

/** Two names of one setting. */
const otherNames: Readonly<Record<string, string>> = { max_completion_tokens: "max_tokens" }
