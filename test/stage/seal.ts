/**
 * The seal: while a seed runs, time and randomness of the host are out of reach. A timer or a
 * microtask of the host would escape the seed, so it is an error.
 */
import type { World } from "./scheduler.ts"

type Holder = Record<string, unknown>

export function sealed<A>(world: World, run: () => A): A {
  const saved: (readonly [Holder, string, unknown])[] = []
  const replace = (holder: object, key: string, value: unknown) => {
    const target = holder as Holder
    saved.push([target, key, target[key]])
    target[key] = value
  }
  const leak = (name: string) => () => {
    throw new Error(`${name} was used inside the simulation`)
  }
  const RealDate = Date
  const now = () => world.nowMs
  for (const name of ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"]) {
    replace(globalThis, name, leak(name))
  }
  replace(process, "nextTick", leak("nextTick"))
  replace(Math, "random", world.random)
  replace(globalThis, "Date", sealedDate(RealDate, now))
  replace(globalThis.crypto, "getRandomValues", (bytes: Uint8Array) => bytes.map(() => world.below(256)))
  try {
    return run()
  } finally {
    for (const [holder, key, value] of saved.toReversed()) holder[key] = value
  }
}

function sealedDate(RealDate: DateConstructor, now: () => number): DateConstructor {
  return class extends RealDate {
    constructor(...parts: unknown[]) {
      if (parts.length === 0) super(now())
      else super(...(parts as [number]))
    }
    static override now(): number {
      return now()
    }
  } as DateConstructor
}
