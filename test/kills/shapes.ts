/**
 * What a killed run is doing: the prompt names its shape, and the model answers accordingly.
 *
 *   finish  a short text
 *   talk    a text that streams for some seconds
 *   tool    a short text and a tool, then a text
 *   tools   three tools side by side, one of them a tree that would run for long, then a text
 *   tree    one such tree
 *   chain   three rounds of one tool, then a text
 *
 * Every tool first writes the id of its call to the ledger: one line is one execution. Commands
 * carry the number of the run, by which its processes are found.
 */
import {
  type Reply,
  type ReplyBlock,
  scripted,
  type SimModel,
  type RequestView,
} from "@holdfast/provider-sim"
import type { Choices } from "./random.ts"

const shapes = ["finish", "talk", "tool", "tools", "tree", "chain"] as const
export type Shape = (typeof shapes)[number]

/** What is killed, by weight: streams need the most luck to be met at their middle. */
export const killedShapes: readonly [Shape, ...Shape[]] = [...shapes, "talk", "talk"]

/** When a run is killed: some time after a line of its output, or after its start. */
export interface Moment {
  readonly after: "start" | "prompt.admitted" | "turn.started" | "call.started" | "call.settled"
  readonly delayMs: number
}

export const promptText = (run: number, shape: Shape): string => `run ${run} shape ${shape}.`
/** What no other run has in the command lines of its tools. */
export const commandMark = (run: number): string => `: run ${run} ;`

/** Where each shape is killed: the event, and how long after it at most. */
const moments: Record<Shape, readonly [MomentRange, ...MomentRange[]]> = {
  finish: [
    { after: "start", msMax: 500 },
    { after: "prompt.admitted", msMax: 40 },
    { after: "turn.started", msMax: 60 },
  ],
  talk: [
    { after: "turn.started", msMax: 4_000 },
    { after: "turn.started", msMax: 4_000 },
    { after: "turn.started", msMax: 4_000 },
    { after: "prompt.admitted", msMax: 20 },
  ],
  tool: [
    { after: "call.started", msMax: 120 },
    { after: "call.settled", msMax: 60 },
    { after: "start", msMax: 700 },
  ],
  tools: [
    { after: "call.started", msMax: 500 },
    { after: "call.settled", msMax: 300 },
  ],
  tree: [
    { after: "call.started", msMax: 500 },
    { after: "start", msMax: 1_500 },
  ],
  chain: [
    { after: "start", msMax: 1_500 },
    { after: "call.settled", msMax: 600 },
    { after: "call.started", msMax: 600 },
  ],
}

interface MomentRange {
  readonly after: Moment["after"]
  readonly msMax: number
}

export function chooseMoment(shape: Shape, choices: Choices): Moment {
  const { after, msMax } = choices.pick(moments[shape])
  return { after, delayMs: choices.below(msMax) }
}

const streamWords = 560
const rounds = 3

/** The opening of a streamed text, by which it is found again. */
export const streamOpening = /^run (\d+) stream (\d+):/

export function shapedModel(ledger: string): SimModel {
  let streams = 0
  const tool = (run: number, then: string): ReplyBlock => ({
    type: "tool_use",
    name: "bash",
    input: { command: `${commandMark(run)} echo "$HOLDFAST_CALL" >> '${ledger}'; ${then}` },
  })
  const text = (words: string): ReplyBlock => ({ type: "text", text: words })
  const tree = "sleep 41 & (sleep 42; true) & wait"
  const reply = (blocks: readonly ReplyBlock[]): Reply => ({ blocks })
  return scripted((view) => {
    const { run, shape, results } = readRequest(view)
    const answer = reply([text(`Run ${run} is done.`)])
    switch (shape) {
      case "talk": {
        const words = Array.from({ length: streamWords }, (_, index) => `w${index}`).join(" ")
        return { ...reply([text(`run ${run} stream ${++streams}: ${words}`)]), delayMs: 40 }
      }
      case "tool":
        return results > 0 ? answer : reply([text("One tool."), tool(run, "sleep 0.1")])
      case "tools":
        return results > 0 ? answer : reply([tool(run, "true"), tool(run, tree), tool(run, "sleep 0.2")])
      case "tree":
        return results > 0 ? answer : reply([tool(run, tree)])
      case "chain":
        return results >= rounds ? answer : reply([tool(run, "sleep 0.05")])
      case "finish":
        return answer
    }
  })
}

/** The newest prompt, and how many messages with results came after it. */
function readRequest({ messages }: RequestView): { run: number; shape: Shape; results: number } {
  let results = 0
  for (const { blocks } of messages.toReversed()) {
    const said = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
    const [newest] = [...said.matchAll(/run (\d+) shape (\w+)\./g)].slice(-1)
    const shape = shapes.find((each) => each === newest?.[2])
    if (shape !== undefined) return { run: Number(newest?.[1]), shape, results }
    if (blocks.some((block) => block.type === "tool_result")) results += 1
  }
  throw new Error("The request holds no prompt of these tests.")
}
