/**
 * The stage: the server that runs now, the Session, and what the scenes do with them.
 *
 * A prompt has an id of the tour's choosing, so a scene may send it again after any death, be it of
 * the server or of the tour itself.
 */
import { relative } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { everyItem, type HoldfastClient, isFailure, type Session } from "../../packages/sdk/src/index.ts"
import { type Choices, choicesFrom } from "./choices.ts"
import { type Follower, makeFollower } from "./follower.ts"
import type { TourFolder } from "./folder.ts"
import type { Pace } from "./options.ts"
import type { TourProvider } from "./provider.ts"
import { prompts, type TourPrompt } from "./sample.ts"
import type { Screen } from "./screen.ts"
import { type ServerProcess, startServer } from "./server-process.ts"

export interface Stage {
  readonly screen: Screen
  readonly folder: TourFolder
  readonly choices: Choices
  readonly follower: Follower
  readonly sessionID: string
  readonly holdfast: () => HoldfastClient
  readonly pid: () => number
  readonly get: () => Promise<Session>
  /** Finds out what a killed tour left behind, and lets the Session finish it. */
  readonly carryOn: () => Promise<void>
  /** Lets the reader read. */
  readonly rest: () => Promise<void>
  /** Whether the prompt is in the log. */
  readonly isKnown: (prompt: TourPrompt) => boolean
  /** Shows and sends a prompt; its receipt is kept outside the runtime. */
  readonly ask: (prompt: TourPrompt) => Promise<void>
  /** Sends it as `ask` does, without showing it. */
  readonly send: (prompt: TourPrompt) => Promise<void>
  /** Lets the Session finish what it owes, and waits until nothing is due. */
  readonly finish: () => Promise<void>
  readonly resume: () => Promise<void>
  readonly killServer: () => Promise<void>
  /** Another server on the same data; resolves when it has settled what the last one left open. */
  readonly restart: () => Promise<ServerProcess>
  /** Shows what has happened since the last event that was shown, and goes on from there. */
  readonly follow: () => Promise<void>
  /** A repeat is safe. */
  readonly close: () => Promise<void>
}

const lookAgainMs = 50
/** Of one piece of work; each ends with something new, or the tour is broken. */
const resumesMax = 3

/** As the reader is told it. */
export const stateText = ({ state, owing, pending }: Session["status"]): string =>
  `${state}, ${owing ? "owes an answer" : pending > 0 ? `${pending} pending` : "nothing due"}`

export async function openStage(
  screen: Screen,
  folder: TourFolder,
  pace: Pace,
  provider: TourProvider,
  first: ServerProcess,
): Promise<Stage> {
  let server = first
  const follower = makeFollower(screen)
  const sessionID = await sessionOf(server.holdfast, folder)
  const sessions = () => server.holdfast.sessions
  const get = () => sessions().get({ sessionID })
  const send = async ({ id, text }: TourPrompt) => {
    await sessions().prompt({ sessionID, id, text })
    await folder.keepReceipt(id)
  }
  const resume = async () => {
    try {
      await sessions().resume({ sessionID })
    } catch (failure) {
      // It had come to its end before it was asked to.
      if (!isFailure(failure, "NothingOwed")) throw failure
    }
  }
  const follow = async (shownBefore = 0) => {
    follower.connect(server.holdfast, sessionID, shownBefore)
    await follower.reach((await get()).seq)
  }
  const isKnown = ({ id }: TourPrompt) =>
    follower.seen.some(({ fact }) => fact.type === "prompt.admitted" && fact.prompt === id)
  const finish = async () => {
    for (let resumes = 0; ; resumes++) {
      const { seq, status } = await settled(sessions(), sessionID)
      if (status.state === "asking") {
        await follower.reach(seq)
        await answerAsks(screen, server.holdfast, folder, sessionID)
        continue
      }
      if (!status.owing && status.pending === 0) return follower.reach(seq)
      if (resumes === resumesMax)
        throw new Error(status.reason?.message ?? `The Session is ${stateText(status)}.`)
      await resume()
    }
  }
  const stage: Stage = {
    screen,
    folder,
    choices: choicesFrom(folder.seed),
    follower,
    sessionID,
    holdfast: () => server.holdfast,
    pid: () => server.pid,
    get,
    carryOn: async () => {
      const { seq, turns, status } = await get()
      await follow(seq)
      const known = Object.values(prompts).filter(isKnown)
      if (known.length === 0) return
      screen.line()
      screen.step(
        "✓",
        "found",
        `${known.length} of its prompts, ${turns} turns; the Session is ${stateText(status)}`,
      )
      // The killed tour may have died before it took note of a receipt; the same id is still one prompt.
      for (const prompt of known) await send(prompt)
      await finish()
    },
    rest: () => pause(pace.restMs),
    isKnown,
    ask: async (prompt) => {
      screen.prompt(prompt.text)
      await send(prompt)
    },
    send,
    resume,
    finish,
    killServer: async () => {
      await server.kill()
      await follower.disconnect()
    },
    restart: async () => {
      server = await startServer(folder)
      while (!(await isRecovered(sessions(), sessionID))) await pause(lookAgainMs)
      return server
    },
    follow: () => follow(),
    close: async () => {
      await follower.disconnect()
      await server.kill()
      await provider.close()
    },
  }
  while (!(await isRecovered(sessions(), sessionID))) await pause(lookAgainMs)
  return stage
}

async function isRecovered(sessions: HoldfastClient["sessions"], sessionID: string): Promise<boolean> {
  for await (const { settled: end } of everyItem((page) => sessions.turns({ sessionID, ...page })))
    if (end === null) return false
  return true
}

/** Waits until nobody runs the Session. */
async function settled(sessions: HoldfastClient["sessions"], sessionID: string): Promise<Session> {
  for (;;) {
    await sessions.wait({ sessionID })
    const info = await sessions.get({ sessionID })
    if (info.status.state !== "running") return info
    await pause(lookAgainMs)
  }
}

/** As a person at another terminal would: allowed for the rest of the Session, so that it is asked once. */
async function answerAsks(
  screen: Screen,
  { asks }: HoldfastClient,
  { project }: TourFolder,
  sessionID: string,
): Promise<void> {
  for await (const { id, resources } of everyItem((page) => asks.list({ sessionID, ...page }))) {
    const wanted = resources.map(({ action, resource }) => `${action}(${relative(project, resource)})`)
    screen.step("?", "asked", `${wanted.join(", ")}: nothing runs until somebody answers`)
    try {
      await asks.answer({ askID: id, decision: "allow", scope: "session", rules: ["write"] })
      screen.step("✓", "answered", "allowed, and write from now on, for this Session")
    } catch (failure) {
      // Whoever is killed after the answer finds it given.
      if (!isFailure(failure, "AskNotOpen")) throw failure
    }
  }
}

const mainTitle = "The bakery"

/** The Session that the books are about. */
async function sessionOf({ sessions }: HoldfastClient, folder: TourFolder): Promise<string> {
  for await (const { id, title } of everyItem((page) => sessions.list(page)))
    if (title === mainTitle) return id
  return (await sessions.create({ directory: folder.project, title: mainTitle })).id
}
