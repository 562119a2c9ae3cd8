import type { ContextSnapshot } from "@holdfast/schema/context"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { initialize, reconcile } from "../../src/context/generation.ts"
import { unavailable } from "../../src/context/system-context.ts"
import { discoverInstructions } from "../../src/instructions/discovery.ts"
import { findProjectRoot } from "../../src/instructions/project.ts"
import { instructionsSource } from "../../src/instructions/source.ts"
import { decided, observeNow } from "../context/sources.ts"
import { memoryFiles, type MemoryFiles } from "./memory-files.ts"

const directory = "/w/app/web"
const settings = (files: MemoryFiles, from = directory) => ({
  project: findProjectRoot(from, files),
  configDirectory: "/srv/config",
  files,
})
const project = { "/w/app/.git/HEAD": "", "/w/app/web/index.html": "" }
const everywhere = {
  ...project,
  "/srv/config/AGENTS.md": "global",
  "/AGENTS.md": "host root",
  "/w/AGENTS.md": "above",
  "/w/app/AGENTS.md": "root",
  "/w/app/web/AGENTS.md": "web",
  "/w/app/web/sub/AGENTS.md": "sub",
}

const observeFiles = (files: MemoryFiles, more: { disableProject?: boolean } = {}) =>
  observeNow(instructionsSource({ ...settings(files), ...more }))
const discover = (files: MemoryFiles, more: { disableProject?: boolean } = {}) =>
  Effect.runSync(discoverInstructions({ ...settings(files), ...more }))

function admitted(files: MemoryFiles): ContextSnapshot {
  const outcome = decided(initialize(observeFiles(files)))
  if (outcome.kind !== "ready") throw new Error("blocked")
  return outcome.generation.snapshot
}

describe("discovery", () => {
  const texts = (files: MemoryFiles, more = {}) => {
    const found = discover(files, more)
    return found === unavailable ? unavailable : found.map(({ text }) => text)
  }

  test("[IN1] orders global first, then from the project root down to the Location", () =>
    expect(texts(memoryFiles(everywhere))).toEqual(["global", "root", "web"]))

  test("[IN1] without a repository the Location is its own project", () => {
    const files = memoryFiles(everywhere)
    files.texts.delete("/w/app/.git/HEAD")
    expect(texts(files)).toEqual(["global", "web"])
    expect(Effect.runSync(findProjectRoot(directory, files))).toEqual({
      directory,
      root: directory,
      repository: "none",
    })
  })

  test("[IN1] a blank or missing file is not part of the set", () => {
    const files = memoryFiles({ ...everywhere, "/w/app/AGENTS.md": " \n" })
    files.texts.delete("/srv/config/AGENTS.md")
    expect(texts(files)).toEqual(["web"])
  })

  test("[IN1] a file that is there and cannot be read makes the set unavailable", () => {
    for (const path of ["/srv/config/AGENTS.md", "/w/app/AGENTS.md"]) {
      const files = memoryFiles(everywhere)
      files.texts.delete(path)
      files.unreadable.add(path)
      expect(texts(files)).toBe(unavailable)
    }
  })

  test("[IN1] so does one that cannot even be resolved", () => {
    const files = memoryFiles(everywhere)
    files.texts.delete("/w/app/AGENTS.md")
    const forbidden = { kind: "unreadable", reason: "EACCES" } as const
    const realPaths: MemoryFiles["realPaths"] = (paths) =>
      Effect.map(files.realPaths(paths), (reals) =>
        reals.map((real, at) => (paths[at] === "/w/app/AGENTS.md" ? forbidden : real)),
      )
    expect(discover({ ...files, realPaths })).toBe(unavailable)
  })

  test("[IN1] so does a Location that cannot be reached, unless project instructions are off", () => {
    const files = memoryFiles({ "/srv/config/AGENTS.md": "global" })
    expect(texts(files)).toBe(unavailable)
    expect(texts(files, { disableProject: true })).toEqual(["global"])
  })

  test("[IN1] a file reached by two ways counts once, where it was found first", () => {
    const files = memoryFiles({ ...everywhere, "/w/app/web/AGENTS.md": "web" })
    files.links.set("/w/app/AGENTS.md", "/w/app/web/AGENTS.md")
    expect(discover(files)).toEqual([
      { path: "/srv/config/AGENTS.md", text: "global" },
      { path: "/w/app/AGENTS.md", text: "web" },
    ])
  })

  test("[IN4] with project instructions switched off only the global ones remain", () =>
    expect(texts(memoryFiles(everywhere), { disableProject: true })).toEqual(["global"]))
})

describe("the aggregate source", () => {
  test("[IN1] renders the set as one source with one text", () => {
    expect(instructionsSource(settings(memoryFiles())).keys).toEqual(["core/instructions"])
    expect(decided(initialize(observeFiles(memoryFiles(everywhere))))).toMatchObject({
      kind: "ready",
      generation: {
        text: [
          "Follow the instructions in these files. They go from the most general to the most specific; where two disagree, follow the later one.",
          "## /srv/config/AGENTS.md",
          "global",
          "## /w/app/AGENTS.md",
          "root",
          "## /w/app/web/AGENTS.md",
          "web",
        ].join("\n\n"),
      },
    })
  })

  test("[IN2] a changed set emits the complete current ordered set, which supersedes the earlier one", () => {
    const files = memoryFiles(everywhere)
    const snapshot = admitted(files)
    files.texts.set("/w/app/web/AGENTS.md", "web, rewritten")
    expect(decided(reconcile(observeFiles(files), snapshot))).toMatchObject({
      kind: "updated",
      text: [
        "The instruction files have changed. The complete set below supersedes every set given earlier. They go from the most general to the most specific; where two disagree, follow the later one.",
        "## /srv/config/AGENTS.md",
        "global",
        "## /w/app/AGENTS.md",
        "root",
        "## /w/app/web/AGENTS.md",
        "web, rewritten",
      ].join("\n\n"),
    })
  })

  test("[IN2] a file that went is simply not in the new set", () => {
    const files = memoryFiles(everywhere)
    const snapshot = admitted(files)
    files.texts.delete("/w/app/AGENTS.md")
    const update = decided(reconcile(observeFiles(files), snapshot))
    expect(update.kind).toBe("updated")
    expect(JSON.stringify(update)).not.toContain("root")
  })

  test("[IN2] an emptied set says that earlier instructions no longer apply", () => {
    const files = memoryFiles(everywhere)
    const snapshot = admitted(files)
    expect(decided(reconcile(observeFiles(memoryFiles(project)), snapshot))).toMatchObject({
      kind: "updated",
      text: "The instruction files given earlier no longer apply, and no others have taken their place.",
      changes: { "core/instructions": null },
    })
  })

  test("[IN2] a set that was never there says nothing", () => {
    expect(decided(initialize(observeFiles(memoryFiles(project))))).toEqual({
      kind: "ready",
      generation: { text: "", snapshot: {} },
    })
    expect(decided(reconcile(observeFiles(memoryFiles(project)), {}))).toEqual({ kind: "unchanged" })
  })

  test("[SC8 IN2] an unreadable file keeps what was said earlier in force", () => {
    const files = memoryFiles(everywhere)
    const snapshot = admitted(files)
    files.texts.delete("/w/app/AGENTS.md")
    files.unreadable.add("/w/app/AGENTS.md")
    expect(decided(reconcile(observeFiles(files), snapshot))).toEqual({ kind: "unchanged" })
    expect(decided(initialize(observeFiles(files)))).toEqual({ kind: "blocked", keys: ["core/instructions"] })
  })

  test("[IN1] the name of a directory cannot write lines of its own", () => {
    const files = memoryFiles({ "/w\n## fake/AGENTS.md": "text" })
    const observation = observeNow(instructionsSource(settings(files, "/w\n## fake")))
    const outcome = decided(initialize(observation))
    if (outcome.kind !== "ready") throw new Error("blocked")
    expect(outcome.generation.text.match(/^##/gm)).toHaveLength(1)
  })
})
