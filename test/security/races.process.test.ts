/**
 * Races between check and use: while a second process swaps files and folders for links a thousand
 * times, every tool works on them, and neither reads nor changes what the links lead to (PE2).
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { expect, test } from "vitest"
import { type Call, openPlace, type Outcome, secret } from "./place.ts"

const swaps = Number(process.env["HOLDFAST_SWAPS"] ?? 1_000)

const patch = (...lines: readonly string[]): Call => [
  "apply_patch",
  { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") },
]

/** What each tool does to a name that may be a link at any moment. */
const calls: readonly Call[] = [
  ["read", { path: "src/swapped-in.ts" }],
  ["read", { path: "src/swapped-out.ts" }],
  ["read", { path: "src/swapped-folder/secret.txt" }],
  ["read", { path: "src/swapped-folder" }],
  ["list", { path: "src/swapped-folder" }],
  ["glob", { pattern: "**/*.txt" }],
  ["grep", { pattern: "canary" }],
  ["grep", { pattern: "canary", path: "src/swapped-in.ts" }],
  ["grep", { pattern: "canary", path: "src/swapped-out.ts" }],
  ["grep", { pattern: "canary", path: "src/swapped-folder" }],
  ["write", { path: "src/swapped-folder/owned.txt", content: "owned" }],
  ["write", { path: "src/swapped-hooks/pre-commit", content: "owned" }],
  ["edit", { path: "src/swapped-out.ts", oldText: "canary", newText: "owned" }],
  ["edit", { path: "src/swapped-folder/secret.txt", oldText: "canary", newText: "owned" }],
  patch("*** Add File: src/swapped-folder/inner/owned.txt", "+owned"),
  patch("*** Update File: src/swapped-folder/secret.txt", "@@", "-harmless", "+owned"),
  patch("*** Delete File: src/swapped-folder/inner/deep.txt"),
]

test(
  `[PE2] links that are swapped ${swaps} times between check and use lead nowhere`,
  { timeout: 120_000 },
  async () => {
    await using place = await openPlace()
    await place.attack([["read", { path: "README.md" }]])
    const program = new URL("swapper.ts", import.meta.url).pathname
    const swapper = spawn(process.execPath, [program, place.project, String(swaps), "1"], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const ended = once(swapper, "exit")
    const ends: Outcome[] = []
    while (swapper.exitCode === null && swapper.signalCode === null) ends.push(...(await place.attack(calls)))
    expect(await ended).toEqual([0, null])
    expect(ends.filter(({ output }) => output.includes(secret))).toEqual([])
    expect(place.sent().includes(secret)).toBe(false)
    expect(await place.harm()).toEqual([])
    const count = (state: string) => ends.filter((end) => end.state === state).length
    expect(count("done")).toBeGreaterThan(0)
    expect(count("declined")).toBeGreaterThan(0)
    console.log(
      `figure: security: ${ends.length} calls while links were swapped ${swaps} times, ${count("done")} done, ${count("declined")} declined, ${count("failed")} failed, none led astray`,
    )
  },
)
