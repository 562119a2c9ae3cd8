/**
 * Tools for those who tend wires: recordings made and replayed, requests judged, without a Session.
 *
 * They are not part of the interface of a Holdfast and may change with the wires; the command
 * `holdfast wire` is what uses them.
 */
import { Effect } from "effect"
import { type Asked, recordExchange, type Recorded } from "@holdfast/core/recordings/record"
import { dataDirectoryOf } from "./directories.ts"
import { settingsOf } from "./embedded/open.ts"
import type { HoldfastOptions } from "./holdfast.ts"

export type { Asked, Recorded }

export interface RecordInput {
  readonly provider: string
  readonly model: string
  readonly asked: Asked
}

/** Sends one request to a configured model; rejects with ModelNotFound or ConfigurationInvalid. */
export const recordRequest = (
  options: Pick<HoldfastOptions, "configDir" | "dataDir" | "environment">,
  { provider, model, asked }: RecordInput,
): Promise<Recorded> =>
  Effect.runPromise(
    Effect.flatMap(settingsOf(options), (settings) => {
      const { environment = process.env } = options
      const given = { settings, environment, dataDirectory: dataDirectoryOf(options) }
      return recordExchange(given, { provider, model }, asked)
    }),
  )

export {
  judgeRequests,
  replayRecording,
  type BodyJudge,
  type Judged,
  type JudgedRequest,
  type ReplayedExchange,
} from "@holdfast/core/recordings/judge-file"
