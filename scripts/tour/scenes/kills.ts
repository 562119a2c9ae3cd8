/**
 * One prompt, and the server killed three times while it is worked on: around the moment of its
 * admission, while a command runs, and in the middle of the answer.
 */
import { setTimeout as pause } from "node:timers/promises"
import { isFailure, type FactOf } from "../../../packages/sdk/src/index.ts"
import { prompts } from "../sample.ts"
import { type Stage, stateText } from "../stage.ts"

/** Bounds of the moments: after the prompt is sent, the command begins, the answer begins. */
const moments = { promptMs: [0, 40], commandMs: [50, 900], answerCharacters: [40, 220] } as const

export async function showKills(stage: Stage): Promise<void> {
  const { screen, folder } = stage
  screen.title("One prompt, kill -9 three times")
  screen.notice(`Moments chosen by seed ${folder.seed}; npm start -- --seed ${folder.seed} repeats them.`)
  screen.line()
  const { started } = await killInPrompt(stage)
  await started
  await killInCommand(stage)
  await killInAnswer(stage)
  await stage.finish()
  screen.line()
  screen.notice(
    "Four processes, one piece of work. Whether the command had done its work nobody could know; so the agent was told, and read the ledger in place of running it again.",
  )
}

/** Tells when the command has started. */
async function killInPrompt(stage: Stage): Promise<{ readonly started: Promise<unknown> }> {
  const { screen, choices, follower } = stage
  const afterMs = choices.between(...moments.promptMs)
  const sent = stage.ask(prompts.confirm).then(
    () => "acknowledged",
    (failure: unknown) => {
      if (!isFailure(failure, "ClientError")) throw failure
      return "not acknowledged"
    },
  )
  await pause(afterMs)
  await killAndRestart(stage, `${afterMs} ms after the prompt was sent`)
  const receipt = await sent
  const started = follower.next("call.started")
  // Whoever got no answer may ask once more.
  await stage.send(prompts.confirm)
  screen.step("·", "the prompt", `was ${receipt}; sent again, same id: still one`)
  await stage.resume()
  return { started }
}

async function killInCommand(stage: Stage): Promise<void> {
  const { screen, choices, follower } = stage
  const afterMs = choices.between(...moments.commandMs)
  await pause(afterMs)
  const seen = follower.seen.length
  await killAndRestart(stage, `${afterMs} ms after the command began`)
  const outcomes = follower.seen
    .slice(seen)
    .flatMap(({ fact }) => (fact.type === "call.settled" ? [fact] : []))
  for (const settled of outcomes) screen.step("·", "the command", outcomeText(settled))
}

async function killInAnswer(stage: Stage): Promise<void> {
  const { screen, choices, follower } = stage
  const characters = choices.between(...moments.answerCharacters)
  const spoken = follower.nextText(characters)
  await stage.resume()
  await spoken
  const seen = follower.seen.length
  await killAndRestart(stage, `after ${characters} characters of the answer`)
  const kept = follower.seen
    .slice(seen)
    .flatMap(({ fact }) =>
      fact.type === "part.recorded" && fact.part.type === "text" ? [fact.part.text] : [],
    )
    .join("")
  screen.step("·", "the answer", await answerText(stage, kept.length))
}

async function answerText(stage: Stage, kept: number): Promise<string> {
  const { status } = await stage.get()
  if (!status.owing) return "had been completed"
  return `${kept === 0 ? "had not reached the disk" : `${kept} characters of it are kept`}; it is asked for again`
}

const outcomeText = ({ outcome }: FactOf<"call.settled">): string =>
  outcome.state === "interrupted"
    ? "may have run or not: declared unknown, not repeated"
    : `had ended: ${outcome.state}`

async function killAndRestart(stage: Stage, when: string): Promise<void> {
  const { screen } = stage
  const pid = stage.pid()
  await stage.killServer()
  screen.line()
  screen.step("✗", `kill -9 ${pid}`, when)
  const server = await stage.restart()
  const { status } = await stage.get()
  screen.step("✓", "started again", `in ${server.startMs} ms; the Session is ${stateText(status)}`)
  await stage.follow()
}
