/** The contract on the host of this machine, until standard input ends. */
import { homedir } from "node:os"
import { Effect } from "effect"
import { configDirectory, dataDirectory, loadUserSettings } from "@holdfast/core/config/index"
import { openHost } from "@holdfast/core/host/index"
import { nodeInstructionFiles } from "@holdfast/core/instructions/index"
import { listen, makeHandler } from "@holdfast/server"

export const serve = (directory: string): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const environment = process.env
        const config = configDirectory(environment, homedir())
        const settings = yield* loadUserSettings(config, environment, nodeInstructionFiles.read)
        const host = yield* openHost({
          dataDirectory: dataDirectory(environment, homedir()),
          configDirectory: config,
          settings,
          environment,
          allow: [],
        })
        const options = { token: "bench", defaultDirectory: directory, version: "bench" }
        const { handler, dispose } = makeHandler(host, options)
        const server = yield* Effect.promise(() => listen(handler))
        process.stdout.write(`${server.url}\n`)
        yield* Effect.promise(() => ended(process.stdin))
        yield* Effect.promise(() => server.close())
        yield* Effect.promise(() => dispose())
      }),
    ),
  )

const ended = (input: NodeJS.ReadStream): Promise<void> =>
  new Promise((resolve) => {
    input.on("end", resolve)
    input.resume()
  })
