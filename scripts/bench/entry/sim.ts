/** The strict provider of packages/provider-sim in a process of its own: every prompt gets a short text. */
import { createProviderSim, listen, scripted, textReply } from "@holdfast/provider-sim"
import { answerText } from "../sse.ts"
import { modelName } from "../serve-command.ts"

/** A window that holds everything. */
const limit = { context: 4_000_000, output: 8_192 }
const model = scripted(() => textReply(answerText), { limit })

process.on("disconnect", () => process.exit(0))
const { url } = await listen(createProviderSim({ models: { [modelName]: model }, logMax: 1 }))
process.send?.(url)
