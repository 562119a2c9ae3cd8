/**
 * Gauges: how things stand at the moment somebody looks. They are looked at for a scrape and before
 * each export, and nothing is measured in between but the delay of the event loop, from the first
 * look on.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Context, Effect, Metric } from "effect"
import type { HostedRuntime } from "../hosted-runtime.ts"

/** By name, as a scrape shows them; each says what it tells. */
export const gauges = {
  holdfast_info: "Always 1; the label names the version.",
  holdfast_sessions_active: "Sessions that this process works on.",
  holdfast_inputs_pending: "Prompts and notices of all Sessions that wait for their promotion.",
  holdfast_live_readers: "Open readers of live events.",
  holdfast_live_queue_bytes: "What waits for the readers of live events, all together.",
  holdfast_degraded_parts: "Parts that fail while the rest goes on; /api/health names them.",
  holdfast_event_loop_delay_seconds:
    "How late timers came since the last look, by quantile; 1 is the longest.",
  process_resident_memory_bytes: "Memory of the process.",
  process_start_time_seconds: "When the process started, since 1970.",
} as const satisfies Readonly<Record<string, string>>

type GaugeName = keyof typeof gauges

export interface Gauges {
  /** Puts them into the registry of the runtime, as they stand. */
  readonly look: Effect.Effect<void>
  readonly close: () => void
}

const delayResolutionMs = 20
const quantiles = [0.5, 0.99, 1] as const

export function makeGauges(runtime: HostedRuntime, version: string): Gauges {
  const context = Context.make(Metric.MetricRegistry, runtime.metrics)
  const set = (name: GaugeName, value: number, attributes: Readonly<Record<string, string>> = {}): void =>
    Metric.gauge(name, { description: gauges[name], attributes }).updateUnsafe(value, context)
  let delay: DelayHistogram | undefined
  return {
    look: Effect.gen(function* () {
      delay ??= startDelay()
      // A store that cannot be read has no number to tell; a scrape shows the others all the same.
      const pending = yield* Effect.orElseSucceed(runtime.pendingInputs(), () => Number.NaN)
      const { readers, waitingBytes } = runtime.live.load()
      set("holdfast_info", 1, { version })
      set("holdfast_sessions_active", runtime.active().length)
      set("holdfast_inputs_pending", pending)
      set("holdfast_live_readers", readers)
      set("holdfast_live_queue_bytes", waitingBytes)
      set("holdfast_degraded_parts", (yield* runtime.health()).length)
      for (const quantile of quantiles)
        set("holdfast_event_loop_delay_seconds", delayAt(delay, quantile), { quantile: String(quantile) })
      delay.reset()
      set("process_resident_memory_bytes", process.memoryUsage.rss())
      set("process_start_time_seconds", performance.timeOrigin / 1_000)
    }),
    close: () => void delay?.disable(),
  }
}

type DelayHistogram = ReturnType<typeof monitorEventLoopDelay>

function startDelay(): DelayHistogram {
  const delay = monitorEventLoopDelay({ resolution: delayResolutionMs })
  delay.enable()
  return delay
}

/** What is measured is the time between two timers, of which the delay is what exceeds their distance. */
function delayAt(delay: DelayHistogram, quantile: number): number {
  if (delay.count === 0) return 0
  return Math.max(0, delay.percentile(quantile * 100) / 1e9 - delayResolutionMs / 1_000)
}
