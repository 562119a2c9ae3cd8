/** Everything that is made from the contract, by its path from the root, formatted as all other code. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { format } from "oxfmt"
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { TransportFailure } from "@holdfast/protocol/error"
import { effectFiles } from "./emit/effect.ts"
import { promiseFiles } from "./emit/promise.ts"
import { reflect } from "./reflect.ts"

const clientFolder = "packages/client/src/generated"

export async function generatedFiles<Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  root: string,
): Promise<ReadonlyMap<string, string>> {
  const contract = reflect(api, TransportFailure.members)
  const { ignorePatterns: _, ...options } = JSON.parse(readFileSync(join(root, ".oxfmtrc.json"), "utf8"))
  const written = Object.entries({ ...promiseFiles(contract), ...effectFiles(contract) })
  const files = new Map<string, string>()
  for (const [path, text] of [
    ...written.map(([name, code]) => [`${clientFolder}/${name}`, code] as const),
    ["packages/protocol/openapi.json", JSON.stringify(OpenApi.fromApi(api))] as const,
  ]) {
    const { code, errors } = await format(path, text, options)
    if (errors.length > 0) throw new Error(`${path} is no TypeScript: ${JSON.stringify(errors[0])}`)
    files.set(path, code)
  }
  return files
}
