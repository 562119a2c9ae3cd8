/**
 * Files that a text mentions as `@path`: each is read when the text is admitted, or asked for in its turn,
 * under the rules of `read`: text, an image or the listing of a directory. What is not there is only a word.
 */
import { stat } from "node:fs/promises"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { type PromptCall, promptCallsMax } from "@holdfast/schema/prompt"

const mention = /(?<=^|[\s([{"'])@([^\s@"'`<>]+)/g

/** In their order, each once. `directory` is where whoever writes them stands, which need not be where the Session works: paths are told whole. */
export async function readMentions(text: string, directory: string): Promise<readonly PromptCall[]> {
  const calls = new Map<string, PromptCall>()
  for (const [, written = ""] of text.matchAll(mention)) {
    const path = await findPath(written, directory)
    if (path !== null) calls.set(path, { tool: "read", argument: path })
    if (calls.size === promptCallsMax) break
  }
  return [...calls.values()]
}

/** Marks of a sentence at its end belong to it only where a file is called so. */
async function findPath(written: string, directory: string): Promise<string | null> {
  for (const path of new Set([written, written.replace(/[.,;:!?)\]}]+$/, "")])) {
    const place = path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(directory, path)
    if (path !== "" && (await isThere(place))) return place
  }
  return null
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false, // not there or not to be seen: in both cases it is only a word
  )
