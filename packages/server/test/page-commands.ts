/** Commands of a page of the documents: read as a shell would, and played against a handler. */
import type { WebHandler } from "../src/index.ts"
import { routes } from "./routes.ts"

export interface Command {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

export type Variables = Record<string, string>

/** Commands as they are written, with continued lines joined. */
export const commandsOf = (page: string): readonly string[] =>
  [...page.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = ""]) => block.replaceAll("\\\n", " ").split("\n"))
    .filter((line) => line.startsWith("curl "))

export function parseCommand(line: string, variables: Variables): Command {
  const words = [...line.matchAll(/'([^']*)'|"((?:\\.|[^"])*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? fill(double ?? bare ?? "", variables),
  )
  const after = (option: string) =>
    words.flatMap((word, at) => (word === option ? [words[at + 1] ?? ""] : []))
  const [body = null] = after("--json")
  const headers = after("-H").map((header) => header.split(": ") as [string, string])
  return {
    method: after("-X")[0] ?? (body === null ? "GET" : "POST"),
    url: words.find((word) => word.startsWith("http://")) ?? "",
    headers: Object.fromEntries(headers),
    body,
  }
}

export function operationOf({ method, url }: Command): string {
  const { pathname } = new URL(url)
  if (pathname === "/openapi.json") return "openapi"
  const found = routes.find(
    (route) =>
      route.method === method && new RegExp(`^${route.path.replaceAll(/:\w+/g, "[^/]+")}$`).test(pathname),
  )
  return found?.name ?? `${method} ${pathname}`
}

/** A stream that was let in says so by its status; reading it would not end. */
export async function play(handler: WebHandler, command: Command) {
  const response = await handler(
    new Request(command.url, {
      method: command.method,
      headers: { ...command.headers, ...(command.body !== null && { "content-type": "application/json" }) },
      body: command.body,
    }),
  )
  const { status, headers, body } = response
  const type = headers.get("content-type") ?? ""
  // Tests read answers as a foreign client would: without types.
  if (type.startsWith("application/json")) return { status, json: (await response.json()) as any }
  await body?.cancel()
  return { status, json: undefined }
}

const fill = (text: string, variables: Variables): string =>
  text
    .replaceAll(/\$([A-Z]+)/g, (_, name: string) => variables[name] ?? `no ${name} yet`)
    .replaceAll('\\"', '"')
