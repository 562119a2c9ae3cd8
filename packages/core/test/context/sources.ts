/** Sources for tests: a value that the test can change, and a record of every loader and renderer call. */
import { Effect, Result, Schema } from "effect"
import { observe, type Observation } from "../../src/context/observation.ts"
import { make, type Absent, type SystemContext, type Unavailable } from "../../src/context/system-context.ts"

export interface Probe {
  readonly context: SystemContext
  readonly calls: string[]
  value: string | Absent | Unavailable
}

export interface ProbeSettings {
  readonly removal?: boolean
}

/** A source of one string. `calls` collects `load`, `baseline`, `update` and `removal` in order. */
export function probe(key: string, value: Probe["value"], { removal = false }: ProbeSettings = {}): Probe {
  const calls: string[] = []
  const said = (name: string, text: string) => {
    calls.push(name)
    return `${key} ${name} ${text}`
  }
  const self: Probe = {
    calls,
    value,
    context: make({
      key,
      codec: Schema.String,
      mayBeUnavailable: true,
      load: Effect.sync(() => {
        calls.push("load")
        return self.value
      }),
      baseline: (text) => said("baseline", text),
      update: (text) => said("update", text),
      ...(removal ? { removal: (text: string) => said("removal", text) } : {}),
    }),
  }
  return self
}

/** Observes at once; for sources that answer synchronously. */
export function observeNow(context: SystemContext): Observation {
  return Effect.runSync(observe(context))
}

/** The success of a decision that has no defect. */
export function decided<A, E>(result: Result.Result<A, E>): A {
  return Result.getOrThrow(result)
}

/** What a function throws. */
export function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (thrown) {
    return thrown
  }
  return undefined
}
