/** A place whose commands are done by a server in the process of the test: none of them opens the store again. */
import { configDirectoryOf, ownProcess, serveHoldfast } from "@holdfast/sdk"
import { claimServer } from "../../src/server/record.ts"
import { version } from "../../src/version.ts"
import { makePlace, type Place } from "../place.ts"

const token = "a".repeat(43)

export async function makeServedPlace(): Promise<Place> {
  const place = await makePlace()
  const { environment, project: directory } = place
  await place.write("config/holdfast.jsonc", JSON.stringify({ search: { embedding: "off" } }))
  const dataDir = environment["HOLDFAST_DATA_DIR"] ?? ""
  const served = await serveHoldfast({ environment, dataDir, directory, token, host: "127.0.0.1", port: 0 })
  const record = {
    url: served.url,
    version: version(),
    process: ownProcess(),
    allow: [],
    configuration: configDirectoryOf({ environment }),
    options: [],
  }
  await claimServer(dataDir, record, token, async () => true)
  return {
    ...place,
    [Symbol.asyncDispose]: async () => {
      await served.close()
      await place[Symbol.asyncDispose]()
    },
  }
}
