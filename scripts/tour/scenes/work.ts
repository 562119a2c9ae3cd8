/** An agent at work, and AGENTS.md changed while it works. */
import { changedInstructions, prompts } from "../sample.ts"
import type { Stage } from "../stage.ts"

export async function showWork(stage: Stage): Promise<void> {
  const { screen, follower } = stage
  screen.title("An agent at work")
  const baking = follower.next("part.recorded", ({ part }) => part.type === "call" && part.name === "bash")
  await stage.ask(prompts.work)
  await baking
  const before = await baselineOf(stage)
  await stage.folder.writeProject("AGENTS.md", changedInstructions)
  await stage.finish()
  screen.line()
  screen.notice("A real server process, spoken to over HTTP. Real tools. No network.")
  await stage.rest()
  await showInstructions(stage, before)
}

/** Both from the public API: the message at its place in time, and the Baseline that stayed. */
async function showInstructions(stage: Stage, before: Baseline): Promise<void> {
  const { screen, sessionID } = stage
  const { sessions } = stage.holdfast()
  screen.title("Meanwhile somebody changed AGENTS.md")
  const { items } = await sessions.messages({ sessionID, system: true })
  const at = items.findIndex(({ kind }) => kind === "system")
  const message = items[at]
  if (message?.kind !== "system") throw new Error("The change of AGENTS.md never reached the model.")
  screen.line(`Message ${at + 1} of ${items.length}, told to the model, hidden from the conversation:`)
  screen.line()
  const text = message.text.replaceAll(stage.folder.project, "…")
  for (const line of text.trimEnd().split("\n")) screen.line(line, "yellow")
  screen.line()
  const after = await baselineOf(stage)
  if (before.hash !== after.hash) throw new Error("The Baseline has changed.")
  const { items: turns } = await sessions.turns({ sessionID })
  const breaks = turns.filter(({ started }) => started.break !== null)
  screen.line(`Baseline before   sha256 ${before.hash.slice(0, 12)}…  ${before.tokens} tokens`)
  screen.line(`Baseline after    sha256 ${after.hash.slice(0, 12)}…  ${after.tokens} tokens, the same`)
  screen.line(`requests          ${turns.length}, of which ${breaks.length} broke with the one before`)
  screen.line()
  screen.notice(
    "The model learns what holds now, at its place in time. What it has read before stays byte for byte, so the provider's cache stays valid.",
  )
}

interface Baseline {
  readonly hash: string
  readonly tokens: number
}

async function baselineOf({ holdfast, sessionID }: Stage): Promise<Baseline> {
  const { segments } = await holdfast().sessions.request({ sessionID })
  const system = segments.find(({ name }) => name === "system")
  if (system === undefined) throw new Error("The request has no Baseline.")
  return { hash: system.blocks.map(({ hash }) => hash).join("+"), tokens: system.tokens }
}
