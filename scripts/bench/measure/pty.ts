/**
 * Terminals: how fast the output of a program reaches a client, over a WebSocket of `holdfast serve`.
 *
 * The program waits for a line, so the start of the terminal is not counted; the end is its exit, which
 * comes after all of its output.
 */
import { startClients } from "../client-process.ts"
import { startProvider } from "../provider-process.ts"
import type { Readings } from "../report.ts"
import { makeFolders, removeFolders } from "../runtime.ts"
import { type Amount, highest, median, samplesOf, slowSamples } from "../sample.ts"
import { configure, startServe } from "../serve-command.ts"

const bytesOfTerminal = 1_000_000

export async function measurePty(amount: Amount): Promise<Readings> {
  const folders = makeFolders()
  const provider = await startProvider()
  configure(folders, { text: `${provider.url}/text` }, 200_000)
  const server = await startServe(folders)
  const at = { url: server.url, token: server.token }
  const clients = startClients()
  const samples = samplesOf(amount, slowSamples)
  try {
    const rounds: number[] = []
    let cutOffs = 0
    for (let round = 0; round < amount.rounds; round++) {
      const rates: number[] = []
      for (let i = 0; i < samples; i++) {
        const played = await clients.ask("terminal", { at, bytes: bytesOfTerminal })
        rates.push(played.bytesPerSecond / 1e6)
        cutOffs += played.cutOffs
      }
      rounds.push(median(rates))
    }
    const note = `a megabyte each; readers that fell behind and attached again: ${cutOffs}`
    return { "pty-bytes": { value: highest(rounds), samples, rounds: amount.rounds, note } }
  } finally {
    await clients.close()
    await server.stop()
    await provider.close()
    removeFolders(folders)
  }
}
