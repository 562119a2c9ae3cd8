/** A process whose resident size is measured: one Session that calls a tool with a large output in every turn. */
import { Effect } from "effect"
import type { Tool } from "@holdfast/core/tools/tool"
import type { Occupation } from "../measure/memory.ts"
import { createSession, makeFolders, openRuntime, removeFolders, takeTurn } from "../runtime.ts"
import { residentMegabytes } from "../serve-command.ts"

const outputCharacters = 1_000_000
const line = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n"

/** Its every output is a megabyte of its own. */
const blobTool: Tool = {
  name: "blob",
  description: "Returns a megabyte of text.",
  inputSchema: { type: "object", properties: {} },
  repeatable: true,
  run: () => Effect.sync(() => ({ text: Buffer.alloc(outputCharacters, line).toString() })),
}

process.once("message", (message: Occupation) => {
  void work(message).then((sizes) => process.send?.(sizes, () => process.disconnect?.()))
})

async function work({ providerUrl, turns }: Occupation): Promise<readonly number[]> {
  const folders = makeFolders()
  const opened = await openRuntime(folders, { providerUrl, contextTokens: 200_000, tools: [blobTool] })
  try {
    const session = await createSession(opened, "blob")
    const sizes: number[] = []
    for (let turn = 0; turn < turns; turn++) {
      await takeTurn(opened, session)
      sizes.push(residentMegabytes(process.pid))
    }
    return sizes
  } finally {
    await opened.close()
    removeFolders(folders)
  }
}
