/**
 * A place to attack: a project with a generous user, secrets inside and beside it, and a model that does
 * what the test says. Calls go the whole way, through a Session of the real host.
 *
 * The user allows much: to write in the project, to echo, to run the tests. Nobody answers, so that what
 * is asked for is declined. A secret that turns up in what a model reads, or a file that was not to be
 * touched, is what must not happen.
 */
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { createProviderSim, type Reply, scripted, textReply } from "@holdfast/provider-sim"
import { type Event, everyItem, openHoldfast, type PageInput, readTypedPrompt, settled } from "@holdfast/sdk"
import { type Loopback, openLoopback } from "../stage/loopback.ts"

export type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>]

export interface Outcome {
  readonly state: string
  readonly output: string
  readonly errorCode: string | null
}

interface AttackedPlace extends AsyncDisposable {
  readonly root: string
  readonly project: string
  /** Makes these calls, and tells how each ended. */
  readonly attack: (calls: readonly Call[]) => Promise<readonly Outcome[]>
  /** Types this as a person would, and tells how the calls of it ended, or why it was refused. */
  readonly type: (text: string) => Promise<readonly Outcome[]>
  /** Whether anything was touched that was not to be. */
  readonly harm: () => Promise<readonly string[]>
  /** Everything that was sent to the provider. */
  readonly sent: () => string
}

/** In every file that a call may not show. */
export const secret = "canary-7f3a9c"
/** What the user allows; the rest is as it comes. */
const generous = [
  "write",
  "bash(npm test)",
  "bash(npm run *)",
  "bash(echo *)",
  "bash(git commit *)",
  "bash(tar -tf a.tar)",
  "webfetch(site.example)",
]

export interface PlaceOptions {
  readonly allow?: readonly string[]
  readonly agent?: string
  /** Files of the project besides, by their path. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** What the user's own file says. */
  readonly config?: object
  /** Links of the project besides, from their path to where they lead; `beside/` is the folder beside it. */
  readonly links?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
}

export async function openPlace(options: PlaceOptions = {}): Promise<AttackedPlace> {
  const next: (readonly Call[])[] = []
  const sent: string[] = []
  const model = scripted((view) => {
    sent.push(JSON.stringify(view))
    return replyOf(next.shift())
  })
  const sim = createProviderSim({ models: { agent: model } })
  const loopback = await openLoopback("security", { sim: () => sim })
  const { root, project } = loopback
  await furnish(loopback.write, root, options)
  await loopback.write("config/holdfast.jsonc", JSON.stringify(options.config ?? {}))
  const { agent } = options
  /** A fault of a file stops it here, or later. */
  const open = async () => {
    const holdfast = await openHoldfast({
      ...loopback.settings,
      directory: project,
      dataDir: join(root, "data"),
      configDir: join(root, "config"),
      environment: { ...options.environment },
      allow: options.allow ?? generous,
    })
    const made = await holdfast.sessions
      .create({ onAsk: "deny", ...(agent && { agent }) })
      .catch(async (fault: unknown) => {
        await holdfast.close()
        throw fault
      })
    return { holdfast, sessionID: made.id }
  }
  let opened: Awaited<ReturnType<typeof open>> | null = null
  const before = await contents(join(root, "beside"))
  const guarded = await contents(join(project, ".git"))
  let seen = 0
  /** Of the calls since the last look, in the order of the answer. */
  const outcomes = async ({
    holdfast,
    sessionID,
  }: NonNullable<typeof opened>): Promise<readonly Outcome[]> => {
    const items: Event[] = []
    const read = (page: PageInput) => holdfast.sessions.history({ sessionID, ...page })
    for await (const event of everyItem(read, { after: seen, limit: 200 })) items.push(event)
    seen = items.at(-1)?.seq ?? seen
    const settlements = new Map(
      items.flatMap(({ fact }) => (fact.type === "call.settled" ? [[fact.call, fact.outcome] as const] : [])),
    )
    return items.flatMap(({ fact }) => {
      const call = fact.type === "part.recorded" && fact.part.type === "call" ? fact.part.call : null
      const outcome = call === null ? undefined : settlements.get(call)
      return outcome === undefined ? [] : [outcome]
    })
  }
  const type = async (typed: string): Promise<readonly Outcome[]> => {
    const described = { directory: project, configDir: join(root, "config"), environment: {} }
    const prompt = await readTypedPrompt(typed, described)
    if (prompt.kind === "refused") return [{ state: "refused", output: prompt.message, errorCode: null }]
    opened ??= await open()
    const { text, calls } = prompt
    await opened.holdfast.sessions.prompt({ sessionID: opened.sessionID, text, calls })
    await settled(opened.holdfast, { sessionID: opened.sessionID })
    return outcomes(opened)
  }
  return {
    root,
    project,
    type,
    attack: async (calls) => {
      const ends: Outcome[] = []
      try {
        opened ??= await open()
        const { holdfast, sessionID } = opened
        for (let from = 0; from < calls.length; from += answerCallsMax) {
          next.push(calls.slice(from, from + answerCallsMax))
          await holdfast.sessions.prompt({ sessionID, text: "Go on." })
          await settled(holdfast, { sessionID })
          ends.push(...(await outcomes(opened)))
        }
        return ends
      } catch (fault) {
        return [...ends, { state: "blocked", output: String((fault as Error).message), errorCode: null }]
      }
    },
    harm: async () => [
      ...different("beside", before, await contents(join(root, "beside"))),
      ...different(".git", guarded, await contents(join(project, ".git"))),
    ],
    sent: () => sent.join("\n"),
    [Symbol.asyncDispose]: async () => {
      await opened?.holdfast.close()
      await loopback[Symbol.asyncDispose]()
    },
  }
}

/** In one answer of the model. */
const answerCallsMax = 40

const replyOf = (calls: readonly Call[] | undefined): Reply =>
  calls === undefined
    ? textReply("Done.")
    : { blocks: calls.map(([name, input]) => ({ type: "tool_use", name, input })) }

/** Links that lead out, secrets inside and outside. */
async function furnish(
  write: Loopback["write"],
  root: string,
  { files = {}, links: more = {} }: PlaceOptions,
): Promise<void> {
  for (const [path, text] of Object.entries(files)) await write(`project/${path}`, text)
  await write("project/src/a.ts", "export const a = 1\n")
  await write("project/.env", `TOKEN=${secret}\n`)
  await write("project/keys/server.pem", `${secret}\n`)
  await write("project/.git/config", "[core]\n")
  await write("project/.git/hooks/sample", "#!/bin/sh\n")
  await write("beside/secret.txt", `${secret}\n`)
  await write("beside/inner/deep.txt", `${secret}\n`)
  const links = {
    "src/door": join(root, "beside"),
    "src/file.ts": join(root, "beside/secret.txt"),
    "src/relative.ts": "../../beside/secret.txt",
    "src/chain.ts": "file.ts",
    "src/dangling": join(root, "beside/made"),
    "src/circle": "circle",
    "src/settings.ts": "../.env",
    "src/repository": "../.git",
    ...more,
  }
  for (const [path, target] of Object.entries(links)) {
    await mkdir(dirname(join(root, "project", path)), { recursive: true })
    await symlink(target, join(root, "project", path))
  }
  await mkdir(join(root, "project/empty"), { recursive: true })
  await writeFile(join(root, "project/package.json"), `{"scripts":{"test":"true"}}\n`)
}

async function contents(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, "utf8")] as const)))
}

const different = (
  name: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] => [
  ...[...after].flatMap(([file, text]) => (before.get(file) === text ? [] : [`${name}: ${file} changed`])),
  ...[...before.keys()].flatMap((file) => (after.has(file) ? [] : [`${name}: ${file} is gone`])),
]
