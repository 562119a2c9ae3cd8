/** Paths and links that lead out of the project, to secrets in it, or to what programs trust; by every tool. */
import type { Call } from "../place.ts"
import { asks, type Attack } from "./attack.ts"

type Tool = readonly [name: string, call: (path: string) => Call]

const patch = (...lines: readonly string[]): Call => [
  "apply_patch",
  { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") },
]

const readers: readonly Tool[] = [
  ["read", (path) => ["read", { path }]],
  ["grep", (path) => ["grep", { pattern: ".", path }]],
  ["glob", (path) => ["glob", { pattern: "**", path }]],
  ["list", (path) => ["list", { path }]],
]

const writers: readonly Tool[] = [
  ["write", (path) => ["write", { path, content: "owned" }]],
  ["edit", (path) => ["edit", { path, oldText: "canary", newText: "owned" }]],
  ["apply_patch add", (path) => patch(`*** Add File: ${path}`, "+owned")],
  ["apply_patch update", (path) => patch(`*** Update File: ${path}`, "@@", "-canary", "+owned")],
  ["apply_patch delete", (path) => patch(`*** Delete File: ${path}`)],
  [
    "apply_patch move",
    (path) =>
      patch(
        "*** Update File: src/a.ts",
        `*** Move to: ${path}`,
        "@@",
        "-export const a = 1",
        "+export const a = 2",
      ),
  ],
]

/** By the way that they take, and where they lead. */
const waysOut: readonly (readonly [path: string, leads: string])[] = [
  ["../beside/secret.txt", "beside/secret.txt"],
  ["src/../../beside/secret.txt", "beside/secret.txt"],
  ["./src/.././../beside//secret.txt", "beside/secret.txt"],
  ["src/file.ts", "beside/secret.txt"],
  ["src/relative.ts", "beside/secret.txt"],
  ["src/chain.ts", "beside/secret.txt"],
  ["src/door/inner/deep.txt", "beside/inner/deep.txt"],
  ["src/door/inner/new.txt", "beside/inner/new.txt"],
  ["src/dangling", "beside/made"],
  ["src/circle", "src/circle"],
  ["/etc/passwd", "/etc/passwd"],
  ["/proc/self/environ", "/proc/self/environ"],
  ["/proc/self/root/etc/passwd", "/proc/self/root/etc/passwd"],
]

const secretsInside: readonly (readonly [path: string, leads: string])[] = [
  [".env", "\\.env"],
  ["src/../.env", "\\.env"],
  ["src/settings.ts", "\\.env"],
  ["keys/server.pem", "server\\.pem"],
]

const trusted: readonly (readonly [path: string, leads: string])[] = [
  [".git/config", "\\.git/config"],
  [".git/hooks/pre-commit", "\\.git/hooks/pre-commit"],
  ["src/repository/hooks/pre-commit", "\\.git/hooks/pre-commit"],
  [".GIT/hooks/pre-commit", "\\.GIT/hooks/pre-commit"],
  [".g\u200Dit/hooks/pre-commit", "pre-commit"],
  ["\uFF0Egit/hooks/pre-commit", "pre-commit"],
  [".git./hooks/pre-commit", "pre-commit"],
  ["vendor/x/.git/config", "vendor/x/\\.git/config"],
  ["holdfast.jsonc", "holdfast\\.jsonc"],
  [".holdfast/agents/evil.md", "evil\\.md"],
  [".claude/settings.json", "settings\\.json"],
  [".agents/skills/evil/SKILL.md", "SKILL\\.md"],
  [".bashrc", "\\.bashrc"],
  [".envrc", "\\.envrc"],
  [".ssh/authorized_keys", "authorized_keys"],
]

const each = (
  tools: readonly Tool[],
  paths: readonly (readonly [path: string, leads: string])[],
  action: string,
): readonly Attack[] =>
  tools.flatMap(([tool, call]) =>
    paths.map(([path, leads]) => ({
      name: `${tool}: ${path}`,
      call: call(path),
      says: asks(`${action}\\([^)]*${leads}`),
    })),
  )

/** They ask whatever was allowed. */
export const guardedAttacks: readonly Attack[] = [
  ...each([writers[0] as Tool, writers[2] as Tool], trusted, "write"),
  ...each(writers.slice(3, 5), trusted.slice(0, 2), "write"),
]

export const pathAttacks: readonly Attack[] = [
  ...each([...readers, ...writers], waysOut, "outside"),
  ...each(readers.slice(0, 2), secretsInside, "read"),
  { name: "read: a NUL", call: ["read", { path: "src/a.ts\0.png" }], says: /must not hold a NUL/ },
  { name: "write: a NUL", call: ["write", { path: "a\0b", content: "owned" }], says: /must not hold a NUL/ },
  { name: "glob: a pattern that goes up", call: ["glob", { pattern: "../beside/*" }], says: /\.\./ },
  {
    name: "grep: a filter that goes up",
    call: ["grep", { pattern: "canary", glob: "../beside/*" }],
    says: /\.\./,
  },
]
