/**
 * The sidekick: a hidden job that looks up what was said before about a prompt whose sender asks for it (NT2).
 *
 *   prompt with `sidekick` promoted ─▶ job searches ─▶ finding ─▶ a part beside the prompt
 *                                                       └─nothing, late or broken─▶ the turn begins without
 *
 * Its turn waits for it, within its time and until somebody interrupts. What it costs is its Session's.
 */
import { Effect } from "effect"
import { judgeFinding, sidekickInstructions, sidekickPrompt } from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { AdmittedPrompt } from "@holdfast/schema/prompt"
import type { Degradations } from "../health/degradation.ts"
import { fileTools, readingTools } from "../jobs/reading-tools.ts"
import type { JobAgents, JobRunner } from "../jobs/runner.ts"
import type { RuntimePorts } from "../session/ports.ts"

const healthPart = "sidekick"
/** Turns of one look. */
const turnsMax = 40
const toolNames: readonly string[] = ["context_search", "context_expand", ...fileTools]

export const sidekickAgents = (ports: RuntimePorts): JobAgents => ({
  sidekick: {
    prompt: () => ports.sidekick?.()?.prompt ?? sidekickInstructions,
    turnsMax,
    sample: readingTools(ports, "sidekick", toolNames),
  },
})

/** What was found for these prompts of one Session; null where there is nothing to say. A failure says why the look failed. */
export type AskSidekick = (
  session: SessionId,
  prompts: readonly AdmittedPrompt[],
) => Effect.Effect<string | null, StoreFailure | string>

export const makeSidekick = (
  { masks, sidekick }: Pick<RuntimePorts, "masks" | "sidekick">,
  runner: Effect.Effect<JobRunner>,
  degradations: Degradations,
): AskSidekick =>
  Effect.fnUntraced(function* (session, prompts) {
    const set = sidekick?.() ?? null
    if (set === null) return yield* Effect.fail("No sidekick is set any more.")
    const { models, msMax } = set
    const { run } = yield* runner
    const end = yield* run<string | null>({
      parent: session,
      kind: "sidekick",
      key: prompts.map(({ id, bodySeq }) => `${id} ${bodySeq}`).join(" "),
      models,
      prompt: sidekickPrompt(prompts.map(({ text }) => text).join("\n\n")),
      judge: judgeFinding,
      msMax,
    })
    if (end.kind === "elsewhere") return null
    if (end.kind !== "done") {
      yield* degradations.report(healthPart, end.reason.message)
      return yield* Effect.fail(end.reason.message)
    }
    degradations.clear(healthPart)
    return end.value === null ? null : masks.text(end.value)
  })
