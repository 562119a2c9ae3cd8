/** The targets of our own: a Holdfast behind a real loopback port, and one in this process. */
import { Effect, Stream } from "effect"
import { makeEffectClient, overFetch } from "../../client/src/effect.ts"
import { embeddedUrl, openEmbedded } from "../../sdk/src/embedded/open.ts"
import { makePlace, token } from "../../sdk/test/place.ts"
import { type EffectAccess, serverTarget, type Target } from "../src/index.ts"

export interface OpenTarget extends AsyncDisposable {
  readonly target: Target
}

export async function openServed(): Promise<OpenTarget> {
  const place = await makePlace()
  const { url, close } = await place.serve()
  const effect = await effectAccess(url, token, fetch)
  return {
    target: { ...serverTarget({ url, token }), effect },
    [Symbol.asyncDispose]: async () => {
      await close()
      await place[Symbol.asyncDispose]()
    },
  }
}

export async function openInProcess(): Promise<OpenTarget> {
  const place = await makePlace()
  const embedded = await openEmbedded(place.options)
  const raw = {
    baseUrl: embeddedUrl,
    token: embedded.token,
    // The router is given what a listener would read off the socket.
    send: async (request: Request) => {
      const { byteLength } = await request.clone().arrayBuffer()
      if (byteLength > 0) request.headers.set("content-length", String(byteLength))
      return embedded.fetch(request)
    },
  }
  return {
    target: {
      name: "embedded",
      client: embedded.holdfast,
      raw,
      effect: await effectAccess(embeddedUrl, embedded.token, embedded.fetch),
    },
    [Symbol.asyncDispose]: async () => {
      await embedded.holdfast.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

type Methods = Readonly<Record<string, Readonly<Record<string, (input: unknown) => unknown>>>>

async function effectAccess(
  baseUrl: string,
  given: string,
  send: typeof globalThis.fetch,
): Promise<EffectAccess> {
  const made = Effect.provide(makeEffectClient({ baseUrl }), overFetch(send, given))
  const client = (await Effect.runPromise(made)) as unknown as Methods
  const invoke = (operation: string, input: unknown): unknown => {
    const [group = "", name = ""] = operation.split(".")
    return client[group]?.[name]?.(input)
  }
  return {
    call: (operation, input) =>
      Effect.runPromise(invoke(operation, input) as Effect.Effect<unknown, unknown>),
    take: async (operation, input, count) =>
      Effect.runPromise(
        Stream.runCollect(Stream.take(invoke(operation, input) as Stream.Stream<unknown, unknown>, count)),
      ),
  }
}
