/** A range put before the historian's models, in their order, and their draft before an editor, where that is asked for (HI8, HI9). */
import { Effect } from "effect"
import {
  editDraft,
  type HistorianTask,
  judgeAnswer,
  type Judged,
  observationsAsk,
  observationsIn,
  type Published,
} from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { JobEnd, JobRequest, JobRunner, JobVerdict } from "../jobs/runner.ts"
import type { HistorianPort, RuntimePorts } from "../session/ports.ts"

export interface HistorianModels {
  readonly settings: HistorianPort
  readonly runner: JobRunner
  /** Whether it is asked what it noticed about the user, too: only where a profile is kept (UP1). */
  readonly observes?: boolean
}

type Drafted = Extract<Judged, { kind: "taken" }>
type OnSettled = JobRequest<unknown>["onSettled"]

/** `onSettled` hears of every job, with what it cost. */
export const askHistorian = Effect.fnUntraced(function* (
  { settings, runner, observes = false }: HistorianModels,
  parent: SessionId,
  task: HistorianTask,
  onSettled?: OnSettled,
): Effect.fn.Return<JobEnd<Published>, StoreFailure> {
  const common = {
    parent,
    key: `${task.chunk.fromSeq} ${task.chunk.toSeq} ${task.content}`,
    ...(onSettled && { onSettled }),
  }
  let observations: readonly string[] = []
  const drafted: JobEnd<Drafted> = yield* runner.run<Drafted>({
    ...common,
    kind: "historian",
    models: settings.models,
    prompt: observes ? `${task.prompt}\n\n${observationsAsk}` : task.prompt,
    judge: (answer) => {
      observations = observes ? observationsIn(answer) : []
      return verdictOf(judgeAnswer(task, answer))
    },
  })
  if (drafted.kind !== "done") return drafted
  const { job, value } = drafted
  if (settings.editor !== true) return { kind: "done", job, value: { ...value.published, observations } }
  const { prompt, judge } = editDraft(task, value.draft)
  const edited: JobEnd<Drafted> = yield* runner.run<Drafted>({
    ...common,
    kind: "editor",
    models: settings.models.slice(0, 1),
    prompt,
    judge: (answer) => verdictOf(judge(answer)),
  })
  // Whatever goes wrong with it, the draft stands.
  const published = edited.kind === "done" ? edited.value.published : value.published
  return { kind: "done", job, value: { ...published, observations } }
})

const verdictOf = (judged: Judged): JobVerdict<Drafted> =>
  judged.kind === "taken" ? { kind: "taken", value: judged } : judged

/** A chunk has to fit whichever model of the list reads it. */
export const smallestWindow = Effect.fnUntraced(function* (ports: RuntimePorts, { models }: HistorianPort) {
  const windows: number[] = []
  for (const model of models) {
    const setup = yield* Effect.result(ports.model(model))
    if (setup._tag === "Success") windows.push(setup.success.contextTokens)
  }
  return windows.length === 0 ? 0 : Math.min(...windows)
})
