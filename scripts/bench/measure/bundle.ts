/** A long Session that comes into another store: from its first byte to the answer that it is there. */
import { Effect } from "effect"
import { writeHistory } from "../history.ts"
import { startProvider } from "../provider-process.ts"
import type { Readings } from "../report.ts"
import { makeFolders, openBenchRuntime, removeFolders } from "../runtime.ts"
import { type Amount, nowNs, samplesOf } from "../sample.ts"

/** Of a piece, as the client sends them. */
const pieceBytes = 524_288

export async function measureImport(amount: Amount): Promise<Readings> {
  const messages = samplesOf(amount, 3_000)
  const provider = await startProvider()
  try {
    const bundle = await exported(provider.url, messages)
    const times: number[] = []
    for (let round = 0; round < amount.rounds; round++) times.push(await importedMs(provider.url, bundle))
    const megabytes = (bundle.length / 1_048_576).toFixed(1)
    const note = `one import of ${messages.toLocaleString("en")} messages, ${megabytes} MB, a round; the slowest counts`
    return { "import-3000": { value: Math.max(...times), samples: 1, rounds: times.length, note } }
  } finally {
    await provider.close()
  }
}

async function exported(providerUrl: string, messages: number): Promise<Buffer> {
  const folders = makeFolders()
  const opened = await openBenchRuntime(folders, { providerUrl })
  try {
    const sessionID = await writeHistory(opened, { messages, mode: "text" })
    const pieces: Uint8Array[] = []
    for await (const bytes of await Effect.runPromise(opened.runtime.exportSession({ sessionID })))
      pieces.push(bytes)
    return Buffer.concat(pieces)
  } finally {
    await opened.close()
    removeFolders(folders)
  }
}

async function importedMs(providerUrl: string, bundle: Buffer): Promise<number> {
  const folders = makeFolders()
  const opened = await openBenchRuntime(folders, { providerUrl })
  try {
    const startNs = nowNs()
    for (let offset = 0; offset < bundle.length; offset += pieceBytes) {
      const data = bundle.subarray(offset, offset + pieceBytes)
      const last = offset + data.length === bundle.length
      await Effect.runPromise(opened.runtime.importPiece({ upload: "bench", offset, data, last }))
    }
    return (nowNs() - startNs) / 1e6
  } finally {
    await opened.close()
    removeFolders(folders)
  }
}
