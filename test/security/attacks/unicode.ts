/** Names that look like others, hide a part of themselves, or are too long for any file system. */
import type { Call } from "../place.ts"
import { asks, type Attack } from "./attack.ts"

/** Taken for `.git` and others by some file system, or by the eye of a person who is asked. */
const guarded = [
  ".g\u200Cit/hooks/pre-commit",
  ".git\u200D/hooks/pre-commit",
  "\uFEFF.git/hooks/pre-commit",
  ".gi\u202Et/hooks/pre-commit",
  "\u2066.git\u2069/config",
  "．git/config",
  ".ｇｉｔ/config",
  ".GIT\u00AD/config",
  ".git./config",
  ".git /config",
  "holdfast\u2060.jsonc",
  "src/.BASHRC\u200B",
  ".cla\u{E0001}ude/settings.json",
]

/** Where they would lead if somebody decoded, folded or cut them. */
const seeming = [
  "%2e%2e/beside/secret.txt",
  "..%2fbeside%2fsecret.txt",
  "..%c0%afbeside%c0%afsecret.txt",
  "..／beside／secret.txt",
  "․․/beside/secret.txt",
  "．．/beside/secret.txt",
  "..\\beside\\secret.txt",
  ".\u0435nv",
  ".env\u200B",
  "\u202Evne.",
  ".ｅｎｖ",
  "src/\u202Est.a",
  "keys/server.p\u0435m",
  "\uD800.env",
]

/** No file system has them, or no program can name them. The longest go with few calls: an answer has a limit. */
const impossible = [
  `src/${"a".repeat(300)}`,
  "b/".repeat(2_100),
  `${"../".repeat(1_500)}etc/passwd`,
  "src/a.ts\u0000.png",
  ".env\u0000",
]

const readers = (path: string): readonly Call[] => [
  ["read", { path }],
  ["grep", { pattern: ".", path }],
  ["list", { path }],
]

const patch = (path: string): Call => [
  "apply_patch",
  { patch: ["*** Begin Patch", `*** Add File: ${path}`, "+owned", "*** End Patch"].join("\n") },
]

const named = (call: Call, path: string, says: RegExp): Attack => ({
  name: `${call[0]}: ${JSON.stringify(path.slice(0, 60))}`,
  call,
  says,
})

export const nameAttacks: readonly Attack[] = [
  ...guarded.flatMap((path) =>
    [["write", { path, content: "owned" }] satisfies Call, patch(path)].map((call) =>
      named(call, path, asks(String.raw`write\(`)),
    ),
  ),
  ...seeming.flatMap((path) =>
    readers(path).map((call) => named(call, path, /does not exist|needs a permission that nobody/)),
  ),
  ...impossible.flatMap((path) =>
    [["read", { path }] satisfies Call, ["write", { path, content: "owned" }] satisfies Call].map((call) =>
      named(call, path, /needs a permission that nobody|does not exist|is too long|must not hold a NUL/),
    ),
  ),
]
