/** A runtime on a port: the contract, its listener, and the order in which all of it ends. */
import { type HandlerOptions, makeHandler } from "./handler.ts"
import type { HostedRuntime } from "./hosted-runtime.ts"
import { listen, type Listening, type ListenOptions } from "./listen.ts"
import { type Gauges, makeGauges } from "./telemetry/gauges.ts"
import { type ServerEvent, serverEventsOf } from "./telemetry/server-events.ts"
import { telemetryVariables } from "./telemetry/variables.ts"

export interface ServeOptions
  extends Omit<HandlerOptions, "tracer" | "gauges">, Omit<ListenOptions, "onClosing" | "upgrade"> {
  /** Where the variables of OpenTelemetry stand, which say whether and where traces and metrics are sent. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Told of what is worth a line in a log. */
  readonly onEvent?: (event: ServerEvent) => void
}

/** Closing lets nobody new in, ends streams with `disposed`, waits for requests, then cuts. */
export async function serve(runtime: HostedRuntime, options: ServeOptions): Promise<Listening> {
  const gauges = makeGauges(runtime, options.version)
  const telemetry = await startTelemetry(runtime, gauges, options)
  const { answer, upgrade, endStreams, dispose } = makeHandler(runtime, {
    ...options,
    gauges,
    ...(telemetry && { tracer: telemetry.tracer }),
  })
  const { onEvent = () => {} } = options
  const unsubscribe = runtime.commits.subscribe((event) => serverEventsOf(event).forEach(onEvent))
  const end = async () => {
    unsubscribe()
    await telemetry?.close()
    await dispose()
  }
  try {
    const { url, close } = await listen(answer, { ...options, upgrade, onClosing: endStreams })
    return {
      url,
      close: async () => {
        await close()
        await end()
      },
    }
  } catch (failure) {
    await end()
    throw failure
  }
}

/** Loaded only where it is wanted: it is large, and most servers send nothing. */
async function startTelemetry(runtime: HostedRuntime, gauges: Gauges, { environment = {} }: ServeOptions) {
  const variables = telemetryVariables(environment)
  if (variables === null) return null
  const { openTelemetry } = await import("./telemetry/otlp.ts")
  return openTelemetry(runtime, gauges, variables)
}
