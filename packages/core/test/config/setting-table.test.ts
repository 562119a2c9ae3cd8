/** The table of settings is what editors, decoders and documents are held to. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { JsonObject } from "@holdfast/schema/json"
import { modelKeys } from "../../src/config/decode-model.ts"
import { providerKeys } from "../../src/config/decode-provider.ts"
import { configurationSchema } from "../../src/config/setting/schema.ts"
import { settingNames, settingTable } from "../../src/config/setting/table.ts"

const repository = join(import.meta.dirname, "../../../..")
const read = (path: string) => readFileSync(join(repository, path), "utf8")

test("[CF1] the package holds the schema of its settings", () =>
  expect(
    JSON.parse(read("packages/cli/holdfast.schema.json")),
    "Run `npx holdfast config schema > packages/cli/holdfast.schema.json`.",
  ).toEqual(configurationSchema()))

test("[CF1] the schema knows every key of a provider and of a model, and no other", () => {
  const properties = (schema: unknown) => (schema as { readonly properties: JsonObject }).properties
  const { providers } = properties(configurationSchema()) as Record<string, { additionalProperties: unknown }>
  const provider = properties(providers?.additionalProperties)
  const { additionalProperties: model } = provider["models"] as { additionalProperties: unknown }
  expect(Object.keys(provider).sort()).toEqual([...providerKeys].sort())
  expect(Object.keys(properties(model)).sort()).toEqual([...modelKeys].sort())
})

test("[CF1] whatever could spend, expose or run something is an error when it is wrong", () =>
  expect(settingNames.filter((name) => settingTable[name].onFault === "error")).toEqual([
    "providers",
    "model",
    "titleModel",
    "historian",
    "dreamer",
    "sidekick",
    "maskShapes",
    "budget",
    "cost",
    "search",
    "permissions",
    "webfetchPrivateHosts",
  ]))

test("[CF1] docs/configuration.md has a row for every setting, in the words of the table", () => {
  const page = read("docs/configuration.md")
  for (const name of settingNames) {
    const { description, otherwise, setBy, onFault } = settingTable[name]
    const wrong = onFault === "error" ? "stops all work" : "falls back, with a warning"
    expect(page).toContain(`| \`${name}\` | ${description} | ${otherwise} | ${setBy} | ${wrong} |`)
  }
})

test("[CF1] its example of a file has every setting", () => {
  const [, example = ""] =
    /All keys there are:\n\n```jsonc\n([^`]+(?:`[^`]+`[^`]+)*?)\n```/.exec(read("docs/configuration.md")) ??
    []
  expect(settingNames.filter((name) => !example.includes(`\n  "${name}": `))).toEqual([])
})
