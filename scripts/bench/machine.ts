/** How busy the machine is with the work of others: on a shared one, waiting a little pays. */
import { cpus } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"

const lookMs = 300
/** Others that use less than this share of all cores hardly disturb. */
const quietShare = 0.1

/** Waits for a quiet moment, but not for ever; returns the share that others use then. */
export async function awaitQuiet(patienceMs: number): Promise<number> {
  const endMs = performance.now() + patienceMs
  for (;;) {
    const share = await busyShare()
    if (share <= quietShare || performance.now() >= endMs) return share
  }
}

/** Share of all cores that was busy while this process did nothing. */
async function busyShare(): Promise<number> {
  const before = times()
  await sleep(lookMs)
  const after = times()
  return (after.busy - before.busy) / Math.max(1, after.all - before.all)
}

function times(): { readonly busy: number; readonly all: number } {
  let busy = 0
  let all = 0
  for (const { times: spent } of cpus()) {
    const sum = spent.user + spent.nice + spent.sys + spent.irq + spent.idle
    busy += sum - spent.idle
    all += sum
  }
  return { busy, all }
}
