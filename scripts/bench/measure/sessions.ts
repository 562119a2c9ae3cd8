/** Many Sessions in one process, and what a conversation weighs on disk. */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { startProvider } from "../provider-process.ts"
import type { Readings } from "../report.ts"
import { createSession, makeFolders, openRuntime, removeFolders, takeTurn } from "../runtime.ts"
import { type Amount, highest, nowNs, samplesOf } from "../sample.ts"

const sessionsAtOnce = 50

export async function measureSessions(amount: Amount): Promise<Readings> {
  const folders = makeFolders()
  const provider = await startProvider()
  const opened = await openRuntime(folders, { providerUrl: provider.url })
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
        samples: amount.rounds * sessionsAtOnce * each,
        note: `${cpuMs.toFixed(2)} ms of CPU a turn`,
      },
    }
  } finally {
    await opened.close()
    await provider.close()
    removeFolders(folders)
  }
}

/** A conversation of real turns, weighed after the store was closed. */
export async function measureStoreBytes(amount: Amount): Promise<Readings> {
  const messages = samplesOf(amount, 3_000)
  const folders = makeFolders()
  const provider = await startProvider()
  try {
    let opened = await openRuntime(folders, { providerUrl: provider.url })
    const session = await createSession(opened, "text")
    await takeTurn(opened, session)
    await opened.close()
    const before = bytesUnder(folders.dataDir)
    opened = await openRuntime(folders, { providerUrl: provider.url })
    for (let i = 0; i < messages / 2; i++) await takeTurn(opened, session)
    await opened.close()
    const value = (bytesUnder(folders.dataDir) - before) / messages
    return { "store-bytes": { value, samples: messages } }
  } finally {
    await provider.close()
    removeFolders(folders)
  }
}

const bytesUnder = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
