/** Opens the host of this process, its router, and the client over it. */
import { randomUUID } from "node:crypto"
import { resolve } from "node:path"
import { Effect, Exit, Result, Scope } from "effect"
import { ClientError, clientOver, transportOver } from "@holdfast/client"
import {
  asReserve,
  decodeUserFile,
  helperWarnings,
  loadCatalog,
  loadUserSettings,
  mergeSettings,
  noSettings,
  type Settings,
} from "@holdfast/core/config/index"
import { beginWriter, type Host, openHost } from "@holdfast/core/host/index"
import { nodeInstructionFiles } from "@holdfast/core/instructions/index"
import type { ConfigurationInvalid } from "@holdfast/schema/error"
import { makeHandler } from "@holdfast/server"
import { givenModels } from "../ai-sdk/given-models.ts"
import { configDirectoryOf, dataDirectoryOf } from "../directories.ts"
import type { EmbeddedHoldfast, EmbeddedRouter, HoldfastOptions } from "../holdfast.ts"
import { version } from "../version.ts"
import { makeCapabilities } from "./capabilities.ts"
import { directExchange } from "./direct-exchange.ts"

export interface Embedded {
  readonly holdfast: EmbeddedHoldfast
  readonly host: Host
  /** Asks its router directly; with this token, at `embeddedUrl`. */
  readonly fetch: typeof globalThis.fetch
  readonly token: string
}

export const embeddedUrl = "http://localhost"

/** Cursors are signed with the token, so a server of the same instance takes those of this client if it has the same. */
export async function openEmbedded(
  options: HoldfastOptions,
  token: string = randomUUID(),
): Promise<Embedded> {
  const { host, scope } = await openScopedHost(options)
  const defaultDirectory = resolve(options.directory ?? ".")
  const made = makeHandler(host, { token, defaultDirectory, version: version() })
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    closed ??= made.dispose().then(() => Effect.runPromise(Scope.close(scope, Exit.void)))
    return closed
  }
  const whileOpen =
    <Given, Answer>(ask: (given: Given) => Promise<Answer>) =>
    async (given: Given): Promise<Answer> => {
      if (closed !== undefined) throw new ClientError({ kind: "closed" }, "This Holdfast was closed.")
      return ask(given)
    }
  const handler = whileOpen(made.handler)
  const fetch: typeof globalThis.fetch = async (address, init) => handler(new Request(address, init))
  const exchange = directExchange(whileOpen(made.answer))
  const transport = transportOver({ baseUrl: embeddedUrl, token, exchange, timeoutMs: Infinity })
  const capabilities = makeCapabilities(host, scope, defaultDirectory)
  const router: EmbeddedRouter = {
    baseUrl: embeddedUrl,
    token,
    send: async (request) => handler(await measured(request)),
  }
  const holdfast = { ...clientOver(transport), ...capabilities, router, close, [Symbol.asyncDispose]: close }
  return { holdfast, host, fetch, token }
}

/** The router is told the length that a listener would have read off the socket. */
async function measured(request: Request): Promise<Request> {
  if (request.body === null) return request
  const body = await request.arrayBuffer()
  const headers = new Headers(request.headers)
  headers.set("content-length", String(body.byteLength))
  return new Request(request, { method: request.method, body, headers })
}

async function openScopedHost(
  options: HoldfastOptions,
): Promise<{ readonly host: Host; readonly scope: Scope.Closeable }> {
  const scope = Scope.makeUnsafe()
  const writer = beginWriter()
  try {
    const { settings, fault } = await Effect.runPromise(usableSettings(options))
    const opening = openHost({
      dataDirectory: dataDirectoryOf(options),
      configDirectory: configDirectoryOf(options),
      settings,
      fault,
      environment: options.environment ?? process.env,
      allow: options.allow ?? [],
      continues: options.continues ?? true,
      models: await Effect.runPromise(givenModels(options)),
      servers: startedServers(options),
      writer,
    })
    return { host: await Effect.runPromise(Scope.provide(opening, scope)), scope }
  } catch (failure) {
    writer.end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    throw failure
  }
}

const startedServers = ({ reserve = {} }: HoldfastOptions): ReadonlyMap<string, () => Promise<string>> =>
  new Map(
    Object.values(reserve).flatMap(({ baseUrl, start }) => (baseUrl && start ? [[baseUrl, start]] : [])),
  )

/** Where somebody wants to hear of a fault, Holdfast opens in spite of it, without any setting (CF1). */
const usableSettings = Effect.fnUntraced(function* (
  options: HoldfastOptions,
): Effect.fn.Return<
  { readonly settings: Settings; readonly fault: ConfigurationInvalid | null },
  ConfigurationInvalid
> {
  const { onConfigurationFault } = options
  const read = yield* Effect.result(settingsOf(options))
  if (Result.isSuccess(read)) return { settings: read.success, fault: null }
  if (onConfigurationFault === undefined) return yield* read.failure
  onConfigurationFault(read.failure)
  return { settings: noSettings, fault: read.failure }
})

/** Settings of the user's file, with what the caller gave on top, and what it has in reserve below. */
export const settingsOf = Effect.fnUntraced(function* (
  options: HoldfastOptions,
): Effect.fn.Return<Settings, ConfigurationInvalid> {
  const {
    environment = process.env,
    providers = {},
    reserve = {},
    model,
    fallback,
    onRestart,
    budget,
  } = options
  const decode = (given: object) =>
    Effect.fromResult(decodeUserFile("openHoldfast(…)", JSON.stringify(given), environment))
  const user = yield* loadUserSettings(configDirectoryOf(options), environment, nodeInstructionFiles.read)
  for (const warning of user.warnings) options.onConfigurationWarning?.(warning)
  const spare = asReserve(yield* decode({ providers: reserve }))
  const given = yield* decode({ providers, model, fallback, onRestart, budget })
  const settings = mergeSettings(spare, user.settings, given)
  yield* warnOfHelpers(settings, options)
  return settings
})

/** A model that nothing knows stops no turn, and would be missed by nobody until the history is read. */
const warnOfHelpers = Effect.fnUntraced(function* (
  settings: Settings,
  { environment = process.env, models = {}, onConfigurationWarning: warn, ...options }: HoldfastOptions,
) {
  const { titleModel, historian, dreamer, sidekick } = settings
  if (warn === undefined || (titleModel ?? historian ?? dreamer ?? sidekick) === null) return
  const catalog = yield* loadCatalog(dataDirectoryOf({ ...options, environment }))
  const objects = Object.keys(models)
  for (const warning of helperWarnings(settings, environment, catalog))
    if (!objects.some((name) => warning.includes(` names ${name}. `))) warn(warning)
})
