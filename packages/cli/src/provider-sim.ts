/** `holdfast provider-sim`: serves the offline model until it is stopped, for any client of the wire. */
import { startOffline } from "./offline.ts"
import { UsageError } from "./outcome.ts"
import type { Terminal } from "./terminal.ts"

export interface ProviderSimOptions {
  readonly port?: number
  readonly model?: readonly string[]
}

const providerName = "sim"

export async function serveOffline(terminal: Terminal, options: ProviderSimOptions): Promise<number> {
  const models = options.model ?? ["agent"]
  const stopped = new Promise<void>((resolve) => {
    const release = terminal.onStop(() => {
      release()
      resolve()
    })
  })
  const sim = await startOffline(models, options.port, "all").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error
    throw new UsageError(`Port ${options.port} is taken. Choose another with --port.`)
  })
  const configuration = {
    providers: { [providerName]: sim.provider },
    model: `${providerName}/${models[0]}`,
  }
  terminal.write(
    `${terminal.paint("bold", `The offline provider listens on ${sim.url}`)} (Ctrl-C stops it).\n\n` +
      "To use it, put this into holdfast.jsonc in your configuration directory:\n\n" +
      `${JSON.stringify(configuration, null, 2)}\n`,
  )
  await stopped
  await sim.close()
  return 0
}
