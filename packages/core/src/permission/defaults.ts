/**
 * Defaults: the rules that are there before anybody writes one.
 *
 * Looking around in a project is free, changing it asks, and so does whatever holds secrets or lies
 * outside. What `plan` and `explore` may not do stands with these agents, whose rules come last in the
 * list, so that no other rule opens what they close.
 */
import { Result } from "effect"
import { readRule, type Rule, type RuleSource } from "./rule.ts"

/** What everybody may do; everything that is not named here asks. */
const general: readonly string[] = [
  "allow read",
  "allow bash(:read-only)",
  "allow skill",
  "allow todo",
  "allow context_expand",
  "allow context_memory",
  "allow context_reduce",
  "allow context_note",
  "allow context_search",
  "allow context_status",
  "allow bash_output",
  "allow bash_kill",
  "allow question",
]

const secretFiles: readonly string[] = [
  "*.env .env* *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk",
  "id_rsa* id_dsa* id_ecdsa* id_ed25519* .ssh/ .gnupg/ .aws/ .kube/",
  ".netrc _netrc .npmrc .pypirc .pgpass .htpasswd .git-credentials *.tfstate",
].flatMap((line) => line.split(" "))

const publicFiles: readonly string[] = [".env.example", ".env.sample", ".env.template", "*.pub"]

export const builtInRules: readonly Rule[] = rulesOf({ origin: "built-in", source: "", home: "~" }, [
  ...general,
  ...secretFiles.map((file) => `ask read(${file})`),
  ...publicFiles.map((file) => `allow read(${file})`),
])

function rulesOf(source: RuleSource, texts: readonly string[]): readonly Rule[] {
  return texts.map((text) => Result.getOrThrow(readRule(text, source)))
}
