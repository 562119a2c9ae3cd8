/**
 * The model of the tour: the offline agent on loopback, over the real wire, at the speed of speech.
 *
 * It lives in the process of the tour and not in the server, as a paid provider would, so that its
 * cache outlives the server.
 */
import { createProviderSim, listen, offlineAgent } from "../../packages/provider-sim/src/index.ts"
import type { Pace } from "./options.ts"
import { recallModel } from "./recall-model.ts"

export interface TourProvider {
  /** For `holdfast.jsonc`. */
  readonly settings: object
  readonly close: () => Promise<void>
}

const limit = { context: 200_000, output: 8_192 }
/** Of the model whose window a Session outgrows. */
const smallLimit = { context: 16_000, output: 1_024 }

export async function startProvider({ chunkChars, delayMs }: Pace): Promise<TourProvider> {
  const agent = offlineAgent({ limit, cacheTokensMin: 256 })
  const model = {
    ...agent,
    reply: (view) => ({ ...agent.reply(view), chunkChars, delayMs }),
  } satisfies typeof agent
  const small = recallModel({ limit: smallLimit, systemRole: true })
  const { url, close } = await listen(createProviderSim({ models: { agent: model, small } }))
  const models = { agent: { limit, systemRole: true }, small: { limit: smallLimit, systemRole: true } }
  const offline = { wire: "anthropic-messages", baseUrl: url, models }
  return { settings: { providers: { offline }, model: "offline/agent" }, close }
}
