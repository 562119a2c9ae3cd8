/** The JSON Schema of `holdfast.jsonc`, made from the table of settings, for editors that complete and check. */
import type { JsonObject } from "@holdfast/schema/json"
import { settingNames, settingTable } from "./table.ts"

/** Names the schema of a file; it sets nothing. */
export const schemaKey = "$schema"

export const configurationSchema = (): JsonObject => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "holdfast.jsonc",
  description: "Settings of Holdfast. A project's file may set only what says so.",
  type: "object",
  properties: {
    [schemaKey]: { type: "string" },
    ...Object.fromEntries(settingNames.map((name) => [name, described(name)])),
  },
  additionalProperties: false,
})

function described(name: (typeof settingNames)[number]): JsonObject {
  const { schema, description, otherwise, setBy } = settingTable[name]
  const who = setBy === "user" ? "" : " A project may set it too."
  return { ...schema, description: `${description} Otherwise: ${otherwise}.${who}` }
}
