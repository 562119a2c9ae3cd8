/**
 * Recorded traffic of providers: our own, which provider-sim has answered, and where it is at hand
 * the real traffic that lies beside the repository and is never part of it.
 *
 * Ours was made by the runtime of test/wires, one conversation with a call and an answer for each
 * wire and dialect; `metadata.source` says so. It stays as it is: it pins what was once sent and read.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Interaction } from "@holdfast/llm/recording/recording"

export interface RecordedInteraction extends Interaction {
  /** Folder, file and place in the file. */
  readonly name: string
  /** Named after a wire, or after a wire and what is special. */
  readonly folder: string
}

export const ownRecordings = import.meta.dirname
export const realRecordings = join(import.meta.dirname, "../../../shared/data/recordings")

/** Paths of all recordings in a folder; none where it is absent. */
export const recordingFiles = (root: string): readonly string[] =>
  existsSync(root)
    ? readdirSync(root, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".json"))
        .toSorted()
    : []

/** Every interaction of the recordings in these folders, ours first. */
export const loadInteractions = (folders: readonly string[]): readonly RecordedInteraction[] =>
  [ownRecordings, realRecordings].flatMap((root) =>
    recordingFiles(root)
      .filter((path) => folders.includes(path.split("/")[0] ?? ""))
      .flatMap((path) => {
        const text = readFileSync(join(root, path), "utf8")
        const { interactions } = JSON.parse(text) as { readonly interactions: readonly Interaction[] }
        const folder = path.split("/")[0] ?? ""
        return interactions.map((one, at) => ({
          ...one,
          folder,
          name: `${folder}/${basename(path, ".json")} #${at}`,
        }))
      }),
  )
