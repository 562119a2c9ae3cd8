/** What the offline model is made of, with one wire of the simulator: loaded only where it is asked. */
import type { ProviderSim, ProviderSimOptions } from "@holdfast/provider-sim"
import { anthropicMessages } from "@holdfast/provider-sim/anthropic-messages/index"
import { simulate, speaking } from "@holdfast/provider-sim/simulate"

export { offlineAgent } from "@holdfast/provider-sim/offline/agent"

export const speakOne = (options: ProviderSimOptions): ProviderSim =>
  simulate(options, speaking(anthropicMessages))
