/**
 * Waiting for a Session: `sessions.wait` answers after a while even if the work goes on, and a server
 * may be started anew meanwhile. This asks again until the work is over.
 */
import { ClientError } from "./client-error.ts"
import type { HoldfastClient } from "./generated/holdfast-client.ts"
import type { RunResult } from "./generated/records.ts"
import { attemptsMaxDefault, doubling, isLoss, pause, type RetryOptions } from "./waits.ts"

/** What became of the newest prompt, once the Session has nothing more to do. */
export async function settled(
  { sessions }: Pick<HoldfastClient, "sessions">,
  { sessionID }: { readonly sessionID: string },
  { signal, attemptsMax = attemptsMaxDefault, waitMs = doubling }: RetryOptions = {},
): Promise<RunResult> {
  for (let attempt = 0; ;) {
    try {
      const answer = await sessions.wait({ sessionID }, signal === undefined ? {} : { signal })
      if (answer.state === "settled") return answer.result
      attempt = 0
    } catch (failure) {
      attempt += 1
      if (signal?.aborted === true || !isLoss(failure) || attempt >= attemptsMax) throw failure
    }
    // Also after an answer: a server that closes does not wait before it says that the work goes on.
    await pause(waitMs(Math.max(1, attempt)), signal)
    if (signal?.aborted === true) throw new ClientError({ kind: "transport" }, "The call was aborted.")
  }
}
