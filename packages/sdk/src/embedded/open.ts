/** Opens the host of this process, its router, and the client over it. */
import { randomUUID } from "node:crypto"
import { resolve } from "node:path"
import { Effect, Exit, Logger, References, Scope } from "effect"
import { ClientError, clientOver, transportOver } from "@holdfast/client"
import { jsonText } from "@holdfast/client/given/json-text"
import {
  asReserve,
  decodeUserFile,
  helperWarnings,
  loadCatalog,
  loadUserSettings,
  mergeSettings,
  type Settings,
} from "@holdfast/core/config/index"
import { beginWriter, type Host, openHost, openSettings } from "@holdfast/core/host/index"
import { nodeInstructionFiles } from "@holdfast/core/instructions/index"
import { ConfigurationInvalid } from "@holdfast/schema/error"
import { makeHandler } from "@holdfast/server"
import { givenModels } from "../ai-sdk/given-models.ts"
import { configDirectoryOf, dataDirectoryOf } from "../directories.ts"
import type { EmbeddedHoldfast, EmbeddedRouter, HoldfastOptions } from "../holdfast.ts"
import { version } from "../version.ts"
import { givenCapabilities, makeCapabilities, refusalOf } from "./capabilities.ts"
import { directExchange } from "./direct-exchange.ts"
import { type Loggers, loggersFor } from "./warnings.ts"

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
  const loggers = loggersOf(options)
  const made = makeHandler(host, { token, defaultDirectory, version: version(), ...(loggers && { loggers }) })
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    closed ??= made.dispose().then(() => Effect.runPromise(toldTo(loggers, Scope.close(scope, Exit.void))))
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
    const settings = await Effect.runPromise(
      openSettings({
        directory: configDirectoryOf(options),
        load: settingsOf(options),
        onFault: options.onConfigurationFault,
        onTrouble: options.onConfigurationWarning,
      }),
    )
    const registers = await givenCapabilities(options, resolve(options.directory ?? "."))
    const opening = openHost({
      dataDirectory: dataDirectoryOf(options),
      configDirectory: configDirectoryOf(options),
      settings,
      environment: options.environment ?? process.env,
      allow: options.allow ?? [],
      continues: options.continues ?? true,
      models: await Effect.runPromise(givenModels(options)),
      servers: startedServers(options),
      writer,
      registers,
    }).pipe(Effect.catchTags({ DuplicateSourceKey: (fault) => Effect.fail(refusalOf(fault)) }))
    const heard = toldTo(loggersOf(options), opening)
    return { host: await Effect.runPromise(Scope.provide(heard, scope)), scope }
  } catch (failure) {
    writer.end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    throw failure
  }
}

const loggersOf = ({ onWarning }: HoldfastOptions): Loggers | undefined =>
  onWarning === undefined ? undefined : loggersFor(onWarning)

/** Standard output is the program's own: a command prints its records there. */
const toldTo = <A, E, R>(
  loggers: Loggers | undefined,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => {
  const quiet = Effect.provideService(effect, References.LogToStderr, true)
  return loggers === undefined ? quiet : Effect.provideService(quiet, Logger.CurrentLoggers, loggers)
}

const startedServers = ({ reserve = {} }: HoldfastOptions): ReadonlyMap<string, () => Promise<string>> =>
  new Map(
    Object.values(reserve).flatMap(({ baseUrl, start }) => (baseUrl && start ? [[baseUrl, start]] : [])),
  )

/** Settings of the user's file, with what the caller gave on top, and what it has in reserve below. */
export const settingsOf = Effect.fnUntraced(function* (
  options: HoldfastOptions,
): Effect.fn.Return<Settings, ConfigurationInvalid> {
  const { environment = process.env, providers = {}, model, fallback, onRestart, budget } = options
  const user = yield* loadUserSettings(configDirectoryOf(options), environment, nodeInstructionFiles.read)
  for (const warning of user.warnings) options.onConfigurationWarning?.(warning)
  const spare = yield* reserveOf(options)
  const given = yield* decodeGiven({ providers, model, fallback, onRestart, budget }, environment)
  const settings = mergeSettings(spare, user.settings, given)
  yield* warnOfHelpers(settings, options)
  return settings
})

/** What the caller has in reserve, as settings that lie under all others. */
export const reserveOf = ({
  environment = process.env,
  reserve = {},
}: Pick<HoldfastOptions, "environment" | "reserve">): Effect.Effect<Settings, ConfigurationInvalid> =>
  Effect.map(decodeGiven({ providers: withoutStarts(reserve) }, environment), asReserve)

const withoutStarts = (reserve: NonNullable<HoldfastOptions["reserve"]>) =>
  Object.fromEntries(
    Object.entries(reserve).map(([name, given]) => {
      const { start: _, ...provider } = given
      return [name, provider]
    }),
  )

function decodeGiven(
  given: Readonly<Record<string, unknown>>,
  environment: NonNullable<HoldfastOptions["environment"]>,
) {
  const file = "openHoldfast(…)"
  const written = jsonText(given)
  return written.kind === "refused"
    ? Effect.fail(new ConfigurationInvalid({ file, line: 0, message: `${file}: ${written.message}` }))
    : Effect.fromResult(decodeUserFile(file, written.text, environment))
}

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
