/** Names say what a thing is: no bins for everything, no generations, none of the words to avoid. */
import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { describe, expect, test } from "vitest"
import { readGlossary, specPath } from "../../scripts/glossary.ts"
import { exportedNames, exportedValues, lineAt, listFiles, packageSources, stringsOf } from "./source.ts"

const paths = listFiles("packages", "scripts", "test", "examples")
const sources = packageSources()

const isBin = (path: string) =>
  path.split("/").some((part) => /^(utils?|helpers?|common|misc)(\.|$)/i.test(part))
const isGenerationFile = (path: string) => /(^|[-.])(v\d+|legacy|new|next-?gen)([-.]|$)/.test(basename(path))
const isGenerationName = (name: string) =>
  /((?<!IP)V[2-9]\d*|Legacy|NextGen)(?![a-z])|^(legacy|nextGen)/.test(name)
const isGenerationEvent = (text: string) => /^[a-z]+(\.[a-z-]+)*[.-](v\d+|legacy|next|new)$/.test(text)

/** Written apart from the rest: in the words of the providers' own documents, or from the contract. */
const apart = /^packages\/(?:provider-sim|client\/src\/generated)\//

/** Side by side they do the same for something else: the wires, the readers of other programs, the versions of the store. */
const siblings =
  /^packages\/(?:llm\/src\/(?:ai-sdk|anthropic-messages|bedrock-converse|failure|gemini|openai-chat|openai-responses)|foreign\/src\/(?:claude-code|codex)|store\/src\/sqlite\/versions)\//
/** With promises and with Effect. */
const entries = /^packages\/sdk\/src\/(?:effect|holdfast)\.ts$/

/** The same thing in two layers: what a caller asks for, and what the store or the contract makes of it; a count, and its words. */
const twins: ReadonlySet<string> = new Set([
  "append",
  "checkpoint",
  "contribute",
  "count",
  "deleteSession",
  "findPrompt",
  "findSession",
  "forkSession",
  "isDeletion",
  "listSessions",
  "moveSession",
  "readEvents",
  "version",
])

describe("names", () => {
  test("no file or folder is a bin for everything", () =>
    expect(paths.filter(isBin), "Name it after what it holds.").toEqual([]))

  test("no file is named after a generation", () =>
    expect(paths.filter(isGenerationFile), "Name what it does; a version is a field.").toEqual([]))

  test("no export is named after a generation", () => {
    const named = sources.flatMap((file) => exportedNames(file).filter(isGenerationName))
    expect(named, "Name what it does; a version is a field.").toEqual([])
  })

  test("no event is named after a generation", () => {
    const named = sources
      .filter((file) => file.path.startsWith("packages/schema/"))
      .flatMap((file) => stringsOf(file).filter(isGenerationEvent))
    expect(named, "Events are `noun.past`; a version is a field.").toEqual([])
  })

  test("files are in kebab-case", () => {
    const odd = paths.filter(
      (path) => /\.[cm]?tsx?$/.test(path) && !/^[a-z0-9]+([.-][a-z0-9]+)*$/.test(basename(path)),
    )
    expect(odd, "Rename to kebab-case after the main noun.").toEqual([])
  })

  test("one function has one name: no two packages export the same one for different things", () => {
    const owners = new Map<string, Set<string>>()
    for (const file of sources.filter(({ path }) => !apart.test(path)))
      for (const name of exportedValues(file).filter((value) => /^[a-z]/.test(value)))
        owners.set(name, (owners.get(name) ?? new Set()).add(file.path.split("/")[1] ?? ""))
    const twice = [...owners].filter(([name, all]) => all.size > 1 && !twins.has(name))
    const found = twice.map(([name, all]) => `${name}: ${[...all].join(", ")}`)
    expect(found, "Say in the name what each does.").toEqual([])
    expect([...twins].filter((name) => (owners.get(name)?.size ?? 0) < 2)).toEqual([])
  })

  test("no two modules of a package export the same name for different things", () => {
    const owners = new Map<string, Set<string>>()
    for (const file of sources.filter(({ path }) => !apart.test(path))) {
      const { path } = file
      const owner = siblings.test(path) ? "siblings" : entries.test(path) ? "entries" : path
      for (const name of exportedValues(file)) {
        const key = `${name} of ${path.split("/")[1]}`
        owners.set(key, (owners.get(key) ?? new Set()).add(owner))
      }
    }
    const twice = [...owners].filter(([, all]) => all.size > 1)
    const found = twice.map(([name, all]) => `${name}: ${[...all].join(", ")}`)
    expect(found, "Say in the name what each does.").toEqual([])
  })

  test("the words to avoid are avoided", () => {
    // Words that are wrong in one sense only, "(for …)", cannot be judged here.
    const words = readGlossary(readFileSync(specPath, "utf8")).avoid.filter((word) => !word.includes("("))
    expect(words.length).toBeGreaterThan(0)
    // The provider simulator speaks in the words of the providers' own documents.
    const ours = sources.filter((file) => !file.path.startsWith("packages/provider-sim/"))
    const found = ours.flatMap((file) =>
      words.flatMap((word) =>
        [...file.text.matchAll(new RegExp(`\\b${word.replaceAll(" ", "[ _-]?")}`, "gi"))].map(
          (match) => `${file.path}:${lineAt(file, match.index)} says "${match[0]}"`,
        ),
      ),
    )
    expect(found, "Use the term of docs/GLOSSARY.md.").toEqual([])
  })

  test("the patterns meet what they are for", () => {
    expect(["a/utils/b.ts", "a/helpers.ts", "common.test.ts"].every(isBin)).toBe(true)
    expect(["a/commonmark.ts", "a/utility-bill.ts"].some(isBin)).toBe(false)
    expect(["session-v2.ts", "legacy.ts", "new-inbox.ts"].every(isGenerationFile)).toBe(true)
    expect(["news.ts", "renew.ts", "vm-heap.test.ts"].some(isGenerationFile)).toBe(false)
    expect(["SessionV2", "LegacyInbox", "legacyInbox", "encodeV3Body"].every(isGenerationName)).toBe(true)
    expect(["IPV4", "uuidv7", "VectorV"].some(isGenerationName)).toBe(false)
    expect(["fold.v2", "prompt.admitted.v2", "turn-next"].every(isGenerationEvent)).toBe(true)
    expect(["fold.applied", "renew"].some(isGenerationEvent)).toBe(false)
  })
})
