/** A process whose resident size is measured: it opens a store that is there and takes turns. */
import { megabytes, type Occupation } from "../measure/memory.ts"
import { openRuntime, takeTurn } from "../runtime.ts"

const everyMs = 20

process.once("message", (message: Occupation) => {
  void work(message).then((sizes) => process.send?.(sizes, () => process.disconnect?.()))
})

async function work(occupation: Occupation): Promise<readonly number[]> {
  const { folders, providerUrl, sessions, turnsEach, together } = occupation
  const opened = await openRuntime(folders, { providerUrl })
  const sizes: number[] = []
  const note = () => void sizes.push(megabytes(process.memoryUsage.rss()))
  const occupy = async (session: (typeof sessions)[number]): Promise<void> => {
    for (let turn = 0; turn < turnsEach; turn++) {
      await takeTurn(opened, session)
      if (!together) note()
    }
  }
  if (together) {
    const timer = setInterval(note, everyMs)
    await Promise.all(sessions.map(occupy))
    clearInterval(timer)
  } else {
    for (const session of sessions) await occupy(session)
  }
  await opened.close()
  return sizes
}
