/** A Context Source of one text that the test changes, takes away, breaks and counts. */
import { Effect, Schema } from "effect"
import { type Absent, make, type SystemContext, type Unavailable } from "@holdfast/core/context/index"

export class FactSource {
  readonly key: string
  value: string | Absent | Unavailable
  /** The other shape has another codec, so that values stored under the first do not decode. */
  shape: "text" | "body" = "text"
  /** Whether it says something when it goes. */
  removal = true
  /** What its loader throws, if anything. */
  breaks: string | null = null
  loadMs = 0
  loads = 0

  constructor(key: string, value: FactSource["value"]) {
    this.key = key
    this.value = value
  }

  context(): SystemContext {
    const { key, shape, value } = this
    const codec = Schema.Struct({ [shape]: Schema.String }) as unknown as Schema.Codec<
      Readonly<Record<string, string>>,
      Readonly<Record<string, string>>
    >
    return make({
      key,
      codec,
      mayBeUnavailable: true,
      load: Effect.sleep(this.loadMs).pipe(
        Effect.andThen(
          Effect.sync(() => {
            this.loads++
            if (this.breaks !== null) throw new Error(this.breaks)
            return typeof value === "string" ? { [shape]: value } : value
          }),
        ),
      ),
      baseline: (loaded) => `${key} is ${loaded[shape]}.`,
      update: (loaded) => `${key} is now ${loaded[shape]}.`,
      ...(this.removal ? { removal: () => `${key} no longer holds.` } : {}),
    })
  }
}
