/**
 * A program that lets the model apply a patch and is killed when the second file takes its place.
 * Arguments: the options of its Holdfast, as JSON. It tells the id of its Session.
 */
import { writeSync } from "node:fs"
import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { type HoldfastOptions, openHoldfast, settled } from "../../../packages/sdk/src/index.ts"

const { rename } = fs
let renamed = 0
fs.rename = async (from, to) => {
  renamed += 1
  if (renamed === 2) process.kill(process.pid, "SIGKILL")
  return rename(from, to)
}
syncBuiltinESMExports()

const holdfast = await openHoldfast(JSON.parse(process.argv[2] ?? "{}") as HoldfastOptions)
const { id: sessionID } = await holdfast.sessions.create()
writeSync(1, sessionID)
await holdfast.sessions.prompt({ sessionID, text: "Apply the patch." })
await settled(holdfast, { sessionID })
