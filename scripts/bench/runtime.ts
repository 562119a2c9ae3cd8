/**
 * The runtime as the host binds it, with its store in reach.
 *
 * Same parts as packages/core/src/host/host.ts, save that the caller gets the store, may choose the
 * entry of its writer thread, and names a model after the way in which the provider answers; a
 * provider that is named after a wire is spoken to over it, any other over that of Anthropic.
 */
import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { nothingConfigured } from "@holdfast/core/config/index"
import { locate, locationExists } from "@holdfast/core/host/locations"
import { makeIds } from "@holdfast/core/host/ids"
import { holdIdentity, hostProcessFacts, judgeOwner } from "@holdfast/core/host/process-identity"
import { makeSamples } from "@holdfast/core/host/samples"
import { nothingAllowed } from "@holdfast/core/host/permissions"
import { makeRuntime, type Runtime } from "@holdfast/core/runtime"
import { makeMasks } from "@holdfast/core/secrets/masks"
import { makeLiveHub } from "@holdfast/core/session/live"
import { type ModelSetup, type RuntimePorts, runtimeLimits } from "@holdfast/core/session/ports"
import { retryLimits } from "@holdfast/core/session/retry"
import { endCallProcesses, readTool } from "@holdfast/core/tools/index"
import type { Tool } from "@holdfast/core/tools/tool"
import { makeHttpTransport } from "@holdfast/llm"
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { plainOptions } from "@holdfast/llm/options"
import { wires } from "@holdfast/llm/wires"
import type { SessionId } from "@holdfast/schema/id"
import type { ModelRef } from "@holdfast/schema/model"
import { dataFile, openThreadStore } from "@holdfast/store"
import type { Store } from "@holdfast/store/port"

export interface Folders {
  readonly root: string
  readonly dataDir: string
  readonly project: string
}

export interface Opened extends Folders {
  readonly runtime: Runtime
  readonly store: Store
  readonly close: () => Promise<void>
}

export interface OpenOptions {
  readonly providerUrl: string
  /** The window of every model, or of one. */
  readonly contextTokens?: number | ((ref: ModelRef) => number | null)
  readonly tools?: readonly Tool[]
  /** Entry of the writer thread. */
  readonly worker?: URL
}

/** A window that holds everything. */
const contextTokensHuge = 4_000_000
export const outputTokens = 8_192

/** A folder under the temporary one of the benchmark, with a project and a place for data. */
export function makeFolders(): Folders {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-bench-")))
  const project = join(root, "project")
  mkdirSync(project)
  writeFileSync(join(project, "note.txt"), "The prefix holds, and the ledger names each break.\n".repeat(40))
  writeFileSync(join(project, "AGENTS.md"), "Keep answers short. Name files by their path.\n")
  return { root, project, dataDir: join(root, "data") }
}

export const removeFolders = ({ root }: Folders): void => rmSync(root, { recursive: true, force: true })

export async function openBenchRuntime(folders: Folders, options: OpenOptions): Promise<Opened> {
  const scope = Scope.makeUnsafe()
  const opening = Effect.gen(function* () {
    const store = yield* Effect.acquireRelease(
      openThreadStore({
        file: dataFile(folders.dataDir),
        ...(options.worker === undefined ? {} : { worker: options.worker }),
      }),
      (open) => Effect.ignore(open.close()),
    )
    const ports = yield* makePorts(folders, store, options)
    return { store, runtime: yield* makeRuntime(ports, { locate, configured: nothingConfigured }) }
  })
  const { store, runtime } = await Effect.runPromise(Scope.provide(opening, scope))
  return { ...folders, store, runtime, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

const makePorts = Effect.fnUntraced(function* (
  { root }: Folders,
  store: Store,
  options: OpenOptions,
): Effect.fn.Return<RuntimePorts, never, Scope.Scope> {
  const facts = hostProcessFacts()
  const samples = yield* makeSamples(
    [readTool, ...(options.tools ?? [])],
    { configDirectory: join(root, "config"), timeZone: null, disableProject: false },
    { ...nothingAllowed, allow: ["*"] },
  )
  return {
    store,
    transport: yield* makeHttpTransport,
    live: makeLiveHub(),
    masks: makeMasks({ key: randomBytes(32) }),
    limits: { retry: retryLimits, ...runtimeLimits },
    newId: makeIds(),
    model: (ref) => Effect.succeed(setupOf(ref ?? { provider: "bench", model: "text" }, options)),
    sample: samples.sample,
    locationExists,
    owner: yield* holdIdentity(facts, randomBytes(12).toString("hex")),
    ownerState: (other) => Effect.sync(() => judgeOwner(other, facts)),
    endCallProcesses,
  }
})

function setupOf(ref: ModelRef, { providerUrl, contextTokens }: OpenOptions): ModelSetup {
  const named = wires[ref.provider]
  const url =
    named === undefined ? `${providerUrl}/${ref.model}` : `${providerUrl}/${named.name}/${ref.model}`
  const options = plainOptions(outputTokens)
  return {
    ref,
    wire: named ?? anthropicMessages,
    target: { ...ref, endpoint: url, options },
    contextTokens:
      (typeof contextTokens === "function" ? contextTokens(ref) : contextTokens) ?? contextTokensHuge,
    price: null,
    url,
    credential: "none",
  }
}

/** A new Session whose provider answers in this way, over the wire that is named. */
export async function createSession(
  { runtime, project }: Opened,
  mode: string,
  wire = "bench",
): Promise<SessionId> {
  const model = { provider: wire, model: mode }
  return (await Effect.runPromise(runtime.create({ directory: project, model }))).id
}

const promptText = "Which parts of the request repeat the one before, and where does it break? ".repeat(3)

/** Sends a prompt like those of the peers' measurements: 200 characters. */
export const sendPrompt = ({ runtime }: Opened, sessionID: SessionId, resume = true) =>
  Effect.runPromise(runtime.prompt({ sessionID, text: promptText.slice(0, 200), resume }))

export const settled = ({ runtime }: Opened, session: SessionId) =>
  Effect.runPromise(runtime.settled(session))

/** One prompt, answered to its end. */
export async function takeTurn(opened: Opened, session: SessionId): Promise<void> {
  await sendPrompt(opened, session)
  const end = await settled(opened, session)
  if (end?.kind !== "done") throw new Error(`A turn ended as ${JSON.stringify(end)}.`)
}
