/** `holdfast provider-sim`: serves the offline model until it is stopped, for any client of any wire. */
import type { SimRecord } from "@holdfast/provider-sim"
import { describeOffline, offlineModels, serveEveryWire } from "./offline/offline.ts"
import { UsageError } from "./outcome/outcome.ts"
import { printable, type Terminal } from "./terminal.ts"

export interface ProviderSimOptions {
  readonly port?: number
  readonly model?: readonly string[]
  readonly directives?: boolean
}

/** What the printed configuration calls the provider on each wire. */
const providerNames = {
  sim: "anthropic-messages",
  "sim-responses": "openai-responses",
  "sim-chat": "openai-chat",
  "sim-gemini": "gemini",
  "sim-bedrock": "bedrock-converse",
} as const

export async function serveOffline(terminal: Terminal, options: ProviderSimOptions): Promise<number> {
  const models = options.model ?? offlineModels
  const stopped = new Promise<void>((resolve) => {
    const release = terminal.onStop(() => {
      release()
      resolve()
    })
  })
  const { port, directives = false } = options
  const sim = await serveEveryWire({
    models,
    directives,
    ...(port === undefined ? {} : { port }),
    onRecord: (record) => {
      for (const line of noteworthy(record)) terminal.complain(printable(line))
    },
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error
    throw new UsageError(`Port ${port} is taken. Choose another with --port.`)
  })
  terminal.write(
    `${terminal.paint("bold", `The offline provider listens on ${sim.url}`)} (Ctrl-C stops it).\n\n` +
      `${settingsOf(sim.url)}\n` +
      "To use it with Holdfast, put this into holdfast.jsonc in your configuration directory:\n\n" +
      `${JSON.stringify(configurationOf(sim.url, models), null, 2)}\n`,
  )
  await stopped
  await sim.close()
  return 0
}

/** What other clients read; any key will do. */
const settingsOf = (url: string): string => `Other clients find it with these settings, and any key:

ANTHROPIC_BASE_URL=${url}
OPENAI_BASE_URL=${url}/v1
GOOGLE_GEMINI_BASE_URL=${url}
AWS_ENDPOINT_URL_BEDROCK_RUNTIME=${url}
`

const configurationOf = (url: string, models: readonly string[]) => ({
  providers: Object.fromEntries(
    Object.entries(providerNames).map(([name, wire]) => [name, describeOffline(wire, url, models)]),
  ),
  model: `sim/${models[0]}`,
})

/** What somebody who tries a client wants to know: why it was refused, and what was only let pass. */
function noteworthy({ wire, status, error, doubts = [], defect }: SimRecord): readonly string[] {
  return [
    ...(error === undefined ? [] : [`${wire}: ${status} ${error.message.trim()}`]),
    ...doubts.map((doubt) => `${wire}: taken, though a provider may say: ${doubt.trim()}`),
    ...(defect === undefined ? [] : [`This is a fault of the simulator: ${defect}`]),
  ]
}
