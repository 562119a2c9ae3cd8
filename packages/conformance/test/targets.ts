/** The targets of our own: a Holdfast behind a real loopback port, and one in this process. */
import { Effect, Stream } from "effect"
import { makeEffectClient, overFetch } from "../../client/src/effect.ts"
import { openHoldfast } from "../../sdk/src/index.ts"
import { makePlace, token } from "../../sdk/test/place.ts"
import { type EffectAccess, embeddedTarget, serverTarget, type Target } from "../src/index.ts"

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
  const holdfast = await openHoldfast(place.options)
  const { baseUrl, token: own, send } = holdfast.router
  const effect = await effectAccess(baseUrl, own, (address, init) => send(new Request(address, init)))
  return {
    target: { ...embeddedTarget(holdfast), effect },
    [Symbol.asyncDispose]: async () => {
      await holdfast.close()
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
