/**
 * Traces and metrics by the protocol of OpenTelemetry, to the address in its own variables.
 *
 * Apart from the rest, because it is loaded only where such an address is given. Effect reads the
 * variables and speaks the protocol; what is said here is what Holdfast means where one is not set.
 */
import { ConfigProvider, Context, Effect, Exit, Layer, Metric, Schedule, Scope, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import type { HostedRuntime } from "../hosted-runtime.ts"
import type { Gauges } from "./gauges.ts"
import { traceTurns } from "./turn-spans.ts"
import type { Variables } from "./variables.ts"

export interface Telemetry {
  readonly tracer: Tracer.Tracer
  /** Sends what has not been sent, for as long as the receiver takes it in time. */
  readonly close: () => Promise<void>
}

/** Between two looks at the gauges, which an export shows as they were. */
const lookMs = 5_000

export async function openTelemetry(
  runtime: HostedRuntime,
  gauges: Gauges,
  variables: Variables,
): Promise<Telemetry> {
  const isJson = variables["OTEL_EXPORTER_OTLP_PROTOCOL"] === "http/json"
  const exporters = Layer.mergeAll(OtlpTracer.layerFromConfig(), OtlpMetrics.layerFromConfig()).pipe(
    Layer.provide([
      isJson ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf,
      FetchHttpClient.layer,
      ConfigProvider.layer(ConfigProvider.fromEnvRecord(withDefaults(variables))),
      Layer.succeed(Metric.MetricRegistry)(runtime.metrics),
    ]),
  )
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(Layer.buildWithScope(exporters, scope))
  const looking = Effect.repeat(gauges.look, Schedule.spaced(lookMs))
  await Effect.runPromise(Effect.forkIn(looking, scope))
  const tracer = Context.get(context, Tracer.Tracer)
  const stop = traceTurns(runtime.commits, tracer)
  return {
    tracer,
    close: async () => {
      stop()
      await Effect.runPromise(Effect.andThen(gauges.look, Scope.close(scope, Exit.void)))
    },
  }
}

/** OpenTelemetry sends what there is unless it is told not to, and wants a name for it. */
function withDefaults(variables: Variables): Record<string, string | undefined> {
  const isNamed = /(?:^|,)\s*service\.name\s*=/.test(variables["OTEL_RESOURCE_ATTRIBUTES"] ?? "")
  return {
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_METRICS_EXPORTER: "otlp",
    ...(isNamed ? {} : { OTEL_SERVICE_NAME: "holdfast" }),
    ...variables,
  }
}
