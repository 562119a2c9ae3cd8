/** Many Sessions in one process, and what a conversation weighs on disk. */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Provider, startProvider } from "../provider-process.ts"
import type { Readings } from "../report.ts"
import { createSession, makeFolders, openBenchRuntime, removeFolders, takeTurn } from "../runtime.ts"
import { type Amount, highest, nowNs, samplesOf } from "../sample.ts"

const sessionsAtOnce = 50

export async function measureSessions(amount: Amount): Promise<Readings> {
  const folders = makeFolders()
  const provider = await startProvider()
  const opened = await openBenchRuntime(folders, { providerUrl: provider.url })
  try {
    const each = Math.max(2, samplesOf(amount, 100) / 5)
    const rounds: { readonly rate: number; readonly cpuMs: number }[] = []
    for (let round = 0; round <= amount.rounds; round++) {
      const sessions = await Promise.all(
        Array.from({ length: sessionsAtOnce }, () => createSession(opened, "tool")),
      )
      const before = process.cpuUsage()
      const startNs = nowNs()
      await Promise.all(
        sessions.map(async (session) => {
          for (let i = 0; i < each; i++) await takeTurn(opened, session)
        }),
      )
      const { user, system } = process.cpuUsage(before)
      const turns = sessionsAtOnce * each
      const cpuMs = (user + system) / 1e3 / turns
      // The first round warms up.
      if (round > 0) rounds.push({ rate: (turns * 1e9) / (nowNs() - startNs), cpuMs })
    }
    const rate = highest(rounds.map((round) => round.rate))
    const cpuMs = rounds.find((round) => round.rate === rate)?.cpuMs ?? Number.NaN
    return {
      "sessions-50": {
        value: rate,
        samples: sessionsAtOnce * each,
        rounds: amount.rounds,
        note: `${cpuMs.toFixed(2)} ms of CPU a turn`,
      },
    }
  } finally {
    await opened.close()
    await provider.close()
    removeFolders(folders)
  }
}

/** Weighed once a round. A size has no noise to excuse it: the heaviest round counts. */
export async function measureStoreBytes(amount: Amount): Promise<Readings> {
  const messages = samplesOf(amount, 3_000)
  const provider = await startProvider()
  try {
    const weights: number[] = []
    for (let round = 0; round < amount.rounds; round++) weights.push(await weigh(provider, messages))
    const note = `one weighing of ${messages.toLocaleString("en")} messages a round, the heaviest counts`
    return { "store-bytes": { value: highest(weights), samples: 1, rounds: weights.length, note } }
  } finally {
    await provider.close()
  }
}

/** Bytes per message of a conversation of real turns, after the store was closed. */
async function weigh(provider: Provider, messages: number): Promise<number> {
  const folders = makeFolders()
  try {
    let opened = await openBenchRuntime(folders, { providerUrl: provider.url })
    const session = await createSession(opened, "text")
    await takeTurn(opened, session)
    await opened.close()
    const before = bytesUnder(folders.dataDir)
    opened = await openBenchRuntime(folders, { providerUrl: provider.url })
    for (let i = 0; i < messages / 2; i++) await takeTurn(opened, session)
    await opened.close()
    return (bytesUnder(folders.dataDir) - before) / messages
  } finally {
    removeFolders(folders)
  }
}

const bytesUnder = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
