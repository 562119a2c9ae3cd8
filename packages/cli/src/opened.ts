/**
 * Opened: Holdfast as commands use it, on a running server or in this process.
 *
 * In this process a Session is offered what the command line allows, else what it was allowed before;
 * a server offers its own tools. Here the offline provider is known too: a Session, a file or the
 * command line may name it, and only where it is asked it is started. It is in reserve: what a person
 * configured, down to a key alone, stays the default.
 */
import {
  configDirectoryOf,
  dataDirectoryOf,
  type HoldfastClient,
  makeClient,
  openHoldfast,
} from "@holdfast/sdk"
import { isConfiguredBeside, makeOffline, offlineName } from "./offline/offline.ts"
import {
  configurationNotices,
  elsewhereNotice,
  findMisfit,
  findServer,
  serverNotice,
} from "./server/place.ts"
import { printable, type Terminal } from "./terminal.ts"

/** Options of commands that a running server may do the work of. */
export interface SharedOptions {
  readonly json?: boolean
  readonly dataDir?: string
  /** False works in this process whatever runs. */
  readonly server?: boolean
}

export interface OpenOptions extends Omit<SharedOptions, "json"> {
  readonly purpose: Purpose
  /** In this process, the Location that is always known. */
  readonly directory?: string
}

/** What the command does with Sessions: only `work` lets turns run, and is refused where the configuration cannot be used (CF1). */
export type Purpose = "work" | "look"

export interface Opened {
  readonly holdfast: HoldfastClient
  /** Whether a provider is configured beside the offline one. */
  readonly configured: () => Promise<boolean>
  /** The server that does the work, or null if this process does. */
  readonly server: {
    readonly url: string
    readonly notice: string | null
  } | null
  readonly close: () => Promise<void>
}

export async function openForCommand(terminal: Terminal, options: OpenOptions): Promise<Opened> {
  const { environment } = terminal
  const { dataDir } = options
  const data = dataDirectoryOf({ environment, ...(dataDir === undefined ? {} : { dataDir }) })
  const running = options.server === false ? null : await findServer(data)
  if (running === null) return openHere(terminal, options)
  const misfit = findMisfit(running)
  if (misfit !== null) throw misfit
  const { record, token } = running
  const elsewhere = elsewhereNotice(record, configDirectoryOf({ environment }))
  for (const notice of elsewhere === null ? configurationNotices(running) : [elsewhere])
    terminal.complain(printable(notice))
  const closing = new AbortController()
  const holdfast = makeClient({ baseUrl: record.url, token, signal: closing.signal })
  return {
    holdfast,
    configured: () => isConfiguredBeside(holdfast),
    server: { url: record.url, notice: serverNotice(running) },
    close: async () => closing.abort(),
  }
}

async function openHere(terminal: Terminal, options: OpenOptions): Promise<Opened> {
  const { environment } = terminal
  const offline = makeOffline()
  try {
    const holdfast = await openHoldfast({
      environment,
      // A command does what it was asked, then ends: what it began beside that would be cut off.
      continues: false,
      ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
      ...(options.directory === undefined ? {} : { directory: options.directory }),
      reserve: { [offlineName]: offline.provider },
      onConfigurationWarning: (warning) => warn(terminal, warning),
      onWarning: (warning) => warn(terminal, warning),
      ...(options.purpose === "work"
        ? {}
        : { onConfigurationFault: (fault) => warnOf(terminal, fault.message) }),
    })
    return {
      holdfast,
      configured: () => isConfiguredBeside(holdfast),
      server: null,
      close: async () => {
        await holdfast.close()
        await offline.close()
      },
    }
  } catch (failure) {
    await offline.close()
    throw failure
  }
}

const warnOf = (terminal: Terminal, fault: string): void =>
  warn(terminal, `${fault} Until it is mended no turn can start; this command works without it.`)

/** What is told of a file may hold a name that somebody else chose. */
export const warn = (terminal: Terminal, text: string): void =>
  terminal.complain(`${terminal.paint("yellow", "Warning:")} ${printable(text)}`)
