/** docs/sdk.md speaks of everything that there is: exports, methods, options, failures. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import * as sdk from "../src/index.ts"
import { makePlace } from "./place.ts"

const root = join(import.meta.dirname, "../../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const page = read("docs/sdk.md")
/** What stands between backticks, and in snippets. */
const words = new Set(page.split(/[^A-Za-z]+/))

test("[EM1] docs/sdk.md has a row for every method", async () => {
  await using place = await makePlace()
  await using holdfast = await sdk.openHoldfast(place.options)
  const { sessions, events, models, health, tools, sources } = holdfast
  const groups = { sessions, events, models, health, tools, sources }
  const methods = Object.entries(groups).flatMap(([group, found]) =>
    Object.keys(found).map((name) => `${group}.${name}(`),
  )
  expect(methods.filter((method) => !page.includes(method))).toEqual([])
  const shown = [...page.matchAll(/`((?:sessions|events|models|health)\.\w+\()/g)].map(([, method]) => method)
  expect(shown.filter((method) => !methods.includes(method ?? ""))).toEqual([])
})

test("docs/sdk.md names everything that the package exports", () => {
  const exported = Object.keys(sdk).filter((name) => name !== "default")
  expect(exported.filter((name) => !words.has(name))).toEqual([])
})

describe("docs/sdk.md names every field of", () => {
  const declared: readonly (readonly [path: string, name: string])[] = [
    ["packages/sdk/src/holdfast.ts", "HoldfastOptions"],
    ["packages/sdk/src/holdfast.ts", "ProviderOptions"],
    ["packages/sdk/src/holdfast.ts", "ModelOptions"],
    ["packages/sdk/src/serve.ts", "ServeOptions"],
    ["packages/sdk/src/serve.ts", "Served"],
    ["packages/sdk/src/network/connect.ts", "ConnectOptions"],
    ["packages/sdk/src/network/follow.ts", "FollowOptions"],
    ["packages/sdk/src/ai-sdk/from-ai-sdk.ts", "AiSdkOptions"],
    ["packages/sdk/src/sessions.ts", "CreateInput"],
    ["packages/sdk/src/sessions.ts", "UpdateInput"],
    ["packages/sdk/src/sessions.ts", "MessagesInput"],
    ["packages/sdk/src/sessions.ts", "HistoryInput"],
    ["packages/sdk/src/sessions.ts", "PageInput"],
    ["packages/sdk/src/embedded/capabilities.ts", "RegisteredTool"],
    ["packages/sdk/src/embedded/capabilities.ts", "RegisteredCall"],
    ["packages/sdk/src/embedded/capabilities.ts", "RegisteredSource"],
    ["packages/core/src/runtime.ts", "SendPrompt"],
    ["packages/schema/src/run-result.ts", "RunResult"],
  ]
  test.each(declared)("%s %s", (path, name) => {
    const fields = fieldsOf(read(path), name)
    expect(fields.length).toBeGreaterThan(0)
    expect(fields.filter((field) => !words.has(field))).toEqual([])
  })
})

test("docs/sdk.md names every failure", () => {
  const table = /const failureTags[^{]*\{([^}]*)\}/.exec(read("packages/sdk/src/failure.ts"))?.[1] ?? ""
  const tags = [...table.matchAll(/(\w+): true/g)].map(([, tag]) => tag ?? "")
  expect(tags.length).toBeGreaterThan(10)
  expect(tags.filter((tag) => !page.includes(`\`${tag}\``))).toEqual([])
})

/** Fields of an interface or a struct, as the source declares them. */
function fieldsOf(source: string, name: string): readonly string[] {
  const body = new RegExp(`(?:interface ${name}\\b|const ${name} = )[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(
    source,
  )?.[1]
  return [...(body ?? "").matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, field]) => field ?? "")
}
