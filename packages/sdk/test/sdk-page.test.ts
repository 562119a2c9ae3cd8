/** docs/sdk.md and docs/client.md speak of everything that there is: exports, methods, options, failures. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import * as client from "../../client/src/index.ts"
import * as sdk from "../src/index.ts"
import { makePlace } from "./place.ts"

const root = join(import.meta.dirname, "../../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const page = read("docs/sdk.md")
const clientPage = read("docs/client.md")
/** What stands between backticks, and in snippets. */
const words = new Set(page.split(/[^A-Za-z]+/))

test("[EM1] docs/sdk.md has a row for every method", async () => {
  await using place = await makePlace()
  await using holdfast = await sdk.openHoldfast(place.options)
  // Terminals have a page of their own, and the router those of HTTP.
  const { close: _, [Symbol.asyncDispose]: __, ptys: ___, router: ____, ...groups } = holdfast
  const methods = Object.entries(groups).flatMap(([group, found]) =>
    Object.keys(found).map((name) => `${group}.${name}(`),
  )
  expect(methods.filter((method) => !page.includes(method))).toEqual([])
  const shown = [
    ...page.matchAll(/`((?:sessions|events|models|health|locations|files|providers|config)\.\w+\()/g),
  ].map(([, method]) => method)
  expect(shown.filter((method) => !methods.includes(method ?? ""))).toEqual([])
})

test("docs/sdk.md names everything that the package exports", () => {
  const exported = Object.keys(sdk).filter((name) => !(name in client))
  expect(exported.filter((name) => !words.has(name))).toEqual([])
})

test("docs/client.md names everything that the client exports, and every option", () => {
  const named = new Set(clientPage.split(/[^A-Za-z]+/))
  expect(Object.keys(client).filter((name) => !named.has(name))).toEqual([])
  const network = read("packages/client/src/network.ts")
  const waits = read("packages/client/src/waits.ts")
  const fields = [...fieldsOf(network, "NetworkOptions"), ...fieldsOf(waits, "RetryOptions")]
  expect(fields.length).toBeGreaterThan(6)
  expect(fields.filter((field) => !named.has(field))).toEqual([])
})

describe("docs/sdk.md names every field of", () => {
  const declared: readonly (readonly [path: string, name: string])[] = [
    ["packages/sdk/src/holdfast.ts", "HoldfastOptions"],
    ["packages/sdk/src/holdfast.ts", "ProviderOptions"],
    ["packages/sdk/src/holdfast.ts", "ModelOptions"],
    ["packages/sdk/src/holdfast.ts", "EmbeddedRouter"],
    ["packages/sdk/src/serve.ts", "ServeOptions"],
    ["packages/sdk/src/serve.ts", "Served"],
    ["packages/sdk/src/ai-sdk/from-ai-sdk.ts", "AiSdkOptions"],
    ["packages/client/src/generated/holdfast-client.ts", "SessionsCreateInput"],
    ["packages/client/src/generated/holdfast-client.ts", "SessionsUpdateInput"],
    ["packages/client/src/generated/holdfast-client.ts", "SessionsMessagesInput"],
    ["packages/client/src/generated/holdfast-client.ts", "SessionsHistoryInput"],
    ["packages/client/src/generated/holdfast-client.ts", "SessionsPromptInput"],
    ["packages/sdk/src/embedded/capabilities.ts", "RegisteredTool"],
    ["packages/sdk/src/embedded/capabilities.ts", "RegisteredCall"],
    ["packages/sdk/src/embedded/capabilities.ts", "RegisteredSource"],
    ["packages/core/src/caller/prompts.ts", "SendPrompt"],
    ["packages/schema/src/run-result.ts", "RunResult"],
  ]
  test.each(declared)("%s %s", (path, name) => {
    const fields = fieldsOf(read(path), name)
    expect(fields.length).toBeGreaterThan(0)
    expect(fields.filter((field) => !words.has(field))).toEqual([])
  })
})

test("docs/sdk.md names every failure", () => {
  const ofNetworks = [
    "Unauthorized",
    "CallerRefused",
    "RouteNotFound",
    "ContentTypeRefused",
    "RequestHeadTooLarge",
    "RequestTimedOut",
  ]
  const tags = [...client.failureTags].filter((tag) => !ofNetworks.includes(tag))
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
