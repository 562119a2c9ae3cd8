/**
 * Offline agent: a small rule-based model that makes everything work without a network.
 *
 * It reads the newest words of the user, calls the tools that are offered, looks at the results,
 * and answers in prose that uses them. It holds no state: plan and progress are derived from the
 * conversation on every call. It always ends, because rounds since the user's words are bounded.
 *
 *   plan → (round → results)* → answer
 *            └ a read that fails → list its folder → read the likely file instead
 */
import type { Reply, ReplyBlock, RequestView, SimModel, ViewTool } from "../model.ts"
import { describeCall, describeImages, isRefusal, listedNames } from "./findings.ts"
import { planTask } from "./task.ts"
import type { Action, Round } from "./task.ts"
import { callFor, isListing, kindOf, targetOf, toolNameOf } from "./toolbox.ts"
import { readTurn } from "./turn.ts"
import type { AgentTurn, DoneCall } from "./turn.ts"
import { sampleOf } from "../answer/sample.ts"
import { textReply } from "../scripted.ts"

/** Tool rounds since the newest words of the user. */
const roundsMax = 6

/** The offline agent model. `traits` sets limits and abilities. */
export function offlineAgent(traits: Omit<SimModel, "reply"> = {}): SimModel {
  return { systemRole: true, thinking: true, ...traits, reply: replyOffline }
}

function replyOffline(view: RequestView): Reply {
  const turn = readTurn(view)
  const tools = view.toolChoice.type === "none" ? [] : view.tools
  const plan = planTask(turn.text, view.system)
  if (plan.length === 0) return say(describeImages(turn.images)[0] ?? introduce(tools), view)
  const next = turn.rounds.length < roundsMax ? nextRound(plan, turn.rounds, tools) : undefined
  if (next === undefined) return say(conclude(plan, turn, tools), view)
  const calls = next.flatMap((action) => callFor(withContent(action, turn), tools) ?? [])
  const thoughts: ReplyBlock[] = view.thinking ? [{ type: "thinking", text: thought(next) }] : []
  const lead: ReplyBlock[] = turn.rounds.length === 0 ? [{ type: "text", text: announce(next) }] : []
  return { blocks: [...thoughts, ...lead, ...calls] }
}

/** The words, in the form that the request asks for. */
function say(words: string, { outputSchema }: RequestView): Reply {
  return textReply(outputSchema === undefined ? words : JSON.stringify(sampleOf(outputSchema, words)))
}

/** The first round not yet done that an offered tool can do; repairs go to the front. */
function nextRound(
  plan: readonly Round[],
  done: readonly (readonly DoneCall[])[],
  tools: readonly ViewTool[],
): Round | undefined {
  const possible = plan
    .map((round) => round.filter((action) => callFor(action, tools) !== undefined))
    .filter((round) => round.length > 0)
  const queue = [...possible]
  let lost: readonly string[] = []
  let repaired = false
  for (const round of done) {
    queue.shift()
    if (lost.length > 0) {
      const likely = likelyFiles(lost, round)
      if (likely.length > 0) queue.unshift(likely.map((path) => ({ kind: "read", path })))
      lost = []
    } else if (!repaired && lostReads(round).length > 0) {
      const [first = ""] = lostReads(round)
      const listing: Action = { kind: "list", path: folderOf(first) }
      if (callFor(listing, tools) === undefined) continue
      repaired = true
      lost = lostReads(round)
      queue.unshift([listing])
    }
  }
  return queue[0]
}

function lostReads(round: readonly DoneCall[]): readonly string[] {
  return round
    .filter((call) => kindOf(call.name) === "read" && call.isError && !isListing(call) && !isRefusal(call))
    .map((call) => targetOf(call.input))
}

/** Files of a listing that differ from a lost one by case or ending only. */
function likelyFiles(lost: readonly string[], listing: readonly DoneCall[]): readonly string[] {
  const names = listing.flatMap((call) => (call.isError ? [] : listedNames(call.text)))
  const stem = (path: string) => (path.split("/").at(-1) ?? "").replace(/\.[^.]+$/, "").toLowerCase()
  return lost.flatMap((path) => {
    const match = names.find((name) => !name.endsWith("/") && stem(name) === stem(path))
    if (match === undefined) return []
    const folder = folderOf(path)
    return [match.includes("/") || folder === "." ? match : `${folder}/${match}`]
  })
}

function folderOf(path: string): string {
  const at = path.lastIndexOf("/")
  return at <= 0 ? "." : path.slice(0, at)
}

/** A file that was asked for without content gets what has been found so far. */
function withContent(action: Action, turn: AgentTurn): Action {
  if (action.kind !== "write" || action.content !== undefined) return action
  const found = turn.rounds.flat().map(describeCall)
  const title =
    action.path
      .split("/")
      .at(-1)
      ?.replace(/\.[^.]+$/, "") ?? "notes"
  const body = found.length > 0 ? found.join("\n\n") : "Written by Holdfast's offline model."
  return { ...action, content: /\.mdx?$/.test(action.path) ? `# ${title}\n\n${body}\n` : `${body}\n` }
}

function announce(round: Round): string {
  const first = round[0]
  switch (first?.kind) {
    case "read":
      return round.length === 1
        ? `Let me read \`${first.path}\`.`
        : `Let me read these ${round.length} files.`
    case "write":
      return `Let me write \`${first.path}\`.`
    case "bash":
      return `Let me run \`${first.command}\`.`
    case "search":
      return `Let me search for “${first.pattern}”.`
    default:
      return "Let me look at the folder."
  }
}

function thought(round: Round): string {
  const kinds = [...new Set(round.map((action) => action.kind))].join(" and ")
  return `The next useful step is to ${kinds}: ${round.length === 1 ? "one call" : `${round.length} calls side by side`}.`
}

function conclude(plan: readonly Round[], turn: AgentTurn, tools: readonly ViewTool[]): string {
  const calls = turn.rounds.flat()
  const written = new Set(
    calls
      .filter((call) => kindOf(call.name) === "write" && !call.isError)
      .map((call) => targetOf(call.input)),
  )
  const sentences = calls.map((call) => {
    const isReadBack = kindOf(call.name) === "read" && written.has(targetOf(call.input)) && !call.isError
    return isReadBack ? `Read back, ${describeCall(call)}` : describeCall(call)
  })
  const missing = [
    ...new Set(
      plan.flat().flatMap((action) => (callFor(action, tools) === undefined ? [toolNameOf(action)] : [])),
    ),
  ]
  const notes = missing.map(
    (name) =>
      `${sentences.length > 0 ? "One part is left: it" : "That"} needs the \`${name}\` tool, which this session does not offer. Start it again with \`--allow ${name}\` and ask me once more.`,
  )
  if (turn.rounds.length >= roundsMax && plan.length > roundsMax) {
    notes.push(`I stopped after ${roundsMax} rounds of tools; ask me again for the rest.`)
  }
  return [...describeImages(turn.images), ...sentences, ...notes].join("\n\n")
}

function introduce(tools: readonly ViewTool[]): string {
  const known = tools.map((tool) => tool.name).filter((name) => kindOf(name) !== undefined)
  const can =
    known.length > 0
      ? `Here I may use ${known.map((name) => `\`${name}\``).join(", ")}.`
      : "This session offers me no tools; the `--allow` flag grants them, for example `--allow read`."
  return [
    "I am Holdfast's offline model: a small set of rules that works without a network, so I cannot discuss things freely.",
    'What I can do is read files you name, run a command (“run `npm test`”), write a file (“create notes.md with "hello"”), list a folder and search for a text, and then tell you what I found.',
    can,
  ].join(" ")
}
