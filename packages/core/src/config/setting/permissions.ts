/** The rules of a settings file, in the order in which they stand; one that cannot be read is a fault (CF1). */
import { homedir } from "node:os"
import { Result } from "effect"
import { readRule, type Rule } from "../../permission/rule.ts"
import type { Environment } from "../directories.ts"
import { type Fields, listIn } from "../document.ts"

const rulesMax = 500

export function decodePermissions(
  fields: Fields,
  origin: "user" | "project",
  environment: Environment,
): readonly Rule[] {
  const home = environment["HOME"] || homedir()
  const listed = listIn(fields, "permissions", `["allow write(src/**)"]`)
  listed[rulesMax]?.fault(`permissions holds more than ${rulesMax} rules. Use fewer, wider ones.`)
  return listed.flatMap(({ text, line, fault }) => {
    const rule = readRule(text, { origin, source: `${fields.document.file}:${line}`, home })
    if (Result.isSuccess(rule)) return [rule.success]
    fault(`This rule of permissions cannot be read. ${rule.failure.advice}`)
    return []
  })
}
