/** `GET /metrics`: counters and gauges in the text format of Prometheus. It needs the token, as all data does. */
import { Context, Effect, Metric } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import type { HostedRuntime } from "../hosted-runtime.ts"
import type { Gauges } from "./gauges.ts"

const contentType = "text/plain; version=0.0.4; charset=utf-8"

export const metricsRoute = ({ metrics }: HostedRuntime, gauges: Gauges) =>
  HttpRouter.add(
    "GET",
    "/metrics",
    Effect.gen(function* () {
      yield* gauges.look
      const text = PrometheusMetrics.formatUnsafe(Context.make(Metric.MetricRegistry, metrics))
      return HttpServerResponse.text(text, { contentType, headers: { "cache-control": "no-store" } })
    }),
  )
