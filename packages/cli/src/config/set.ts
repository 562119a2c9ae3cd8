/** `holdfast config set`: one setting, written into the file of the user or of the project. */
import { readConfiguration, setSetting } from "@holdfast/sdk"
import type { Json } from "@holdfast/schema/json"
import { offlineReserve } from "../offline/offline.ts"
import { warn } from "../opened.ts"
import type { Terminal } from "../terminal.ts"

export interface SetOptions {
  readonly project?: boolean
}

export async function writeSetting(
  terminal: Terminal,
  key: string,
  text: string,
  options: SetOptions,
): Promise<number> {
  const { environment, directory } = terminal
  const value = readValue(text)
  const project = options.project === true ? { project: directory } : {}
  const file = await setSetting({ environment, key, value, ...project })
  if (file === null) {
    terminal.write(`${key} was not set, so nothing was changed.\n`)
    return 0
  }
  const [setting = ""] = key.split(".", 1)
  // What was there before and has nothing to do with it is told elsewhere.
  const heed = (warning: string) => warning.startsWith(`"${setting}`) && warn(terminal, warning)
  await readConfiguration({ environment, directory, reserve: offlineReserve, onConfigurationWarning: heed })
  terminal.write(`${value === null ? `${key} is no longer set` : `${key} is set`} in ${file}.\n`)
  return 0
}

/** What is no JSON is a text, so that names need no quotes. */
function readValue(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text // SyntaxError is all that parse throws
  }
}
