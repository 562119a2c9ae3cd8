/** What a job may look with: tools that change nothing, inside its own project, whatever the rules allow elsewhere (DM1, NT2). */
import { Effect } from "effect"
import type { Location } from "@holdfast/schema/location"
import type { RuntimePorts } from "../session/ports.ts"
import { createToolRegistry } from "../tools/index.ts"
import type { JobAgent } from "./runner.ts"

/** `who` is named where something is refused. */
export const readingTools =
  (ports: RuntimePorts, who: string, names: readonly string[]): NonNullable<JobAgent["sample"]> =>
  (location) =>
    Effect.map(ports.sample(location, "explore"), ({ tools, authorise, mayTouch }) => ({
      tools: createToolRegistry(tools.tools.filter(({ name }) => names.includes(name))),
      ...(mayTouch && { mayTouch }),
      ...(authorise && {
        authorise: (call) =>
          Effect.map(authorise(call), (verdict) =>
            verdict.kind === "allow" && isInside(location, verdict.paths ?? []) ? verdict : refusedTo(who),
          ),
      }),
    }))

export const fileTools: readonly string[] = ["read", "glob", "grep", "list"]

const refusedTo = (who: string) =>
  ({
    kind: "deny",
    rule: `the ${who} reads its project`,
    message: "Only files of this project can be read here.",
  }) as const

const isInside = ({ projectRoot }: Location, paths: readonly string[]): boolean =>
  paths.every((path) => path === projectRoot || path.startsWith(`${projectRoot.replace(/\/$/, "")}/`))
