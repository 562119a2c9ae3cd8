/**
 * Skill guidance: which skills the selected agent may use, as one Context Source (SK1).
 *
 * It depends on the agent, so it is no part of the registry of a Location: whoever samples a turn
 * composes it last (SK3). A switch that changes it is told by an update, like any other change (SK2).
 */
import { Effect, Schema } from "effect"
import { absent, make, type SystemContext } from "../context/system-context.ts"
import type { Skill } from "./load.ts"

export const skillsKey = "core/skills"

const Guidance = Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String }))

/** `core/skills`. The skills are looked for anew at each observation; `mayUse` is the judgement of the agent's permissions. */
export function skillsSource(
  skills: Effect.Effect<readonly Skill[]>,
  mayUse: (name: string) => boolean,
): SystemContext {
  return make({
    key: skillsKey,
    codec: Guidance,
    load: Effect.map(skills, (found) => {
      const offered = found.filter(({ name }) => mayUse(name))
      return offered.length === 0 ? absent : offered.map(({ name, description }) => ({ name, description }))
    }),
    baseline: (offered) => `${introduction}\n\n${lines(offered)}`,
    update: (offered) => `${changed} ${introduction}\n\n${lines(offered)}`,
    removal: () => "No skills are available any more.",
  })
}

const introduction =
  "Skills are instructions for particular work. Before you do such work, load the skill that fits with the tool skill, and follow it. These are available:"
const changed =
  "The skills that are available have changed; the list below supersedes every list given earlier."

const lines = (offered: readonly { readonly name: string; readonly description: string }[]): string =>
  offered.map(({ name, description }) => `- ${name}: ${description}`).join("\n")
