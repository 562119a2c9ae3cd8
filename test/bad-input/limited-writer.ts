/**
 * A process that admits prompts until its store can take no more, and reports each answer as a line
 * of JSON. It is started where space is short. With a ballast it then throws that away and goes on
 * with the prompt that was refused.
 */
import { rmSync } from "node:fs"
import { Effect } from "effect"
import { openThreadStore } from "@holdfast/store"
import type { PromptId, SessionId } from "@holdfast/schema/id"

const [file, ballast] = process.argv.slice(2) as [string, string | undefined]
const session = "ses_1" as SessionId
const promptsMax = 2_000
/** Prompts taken after there was room again. */
const promptsAfter = 5
const text = "y".repeat(8_000)

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

const work = Effect.gen(function* () {
  const store = yield* openThreadStore({ file })
  const location = { directory: "/somewhere", projectRoot: "/somewhere" }
  const fact = {
    type: "session.created",
    kind: "primary",
    parent: null,
    origin: null,
    location,
    title: null,
    titledBy: "runtime",
    model: null,
    agent: "build",
    policy: "settle",
    onAsk: "wait",
    harness: "holdfast",
  } as const
  yield* store.commit({ kind: "create-session", session, time: 1, fact })
  let last = promptsMax
  for (let count = 0; count < last; count++) {
    const prompt = `p${count}` as PromptId
    const admit = { kind: "admit", session, time: 1, prompt, text, delivery: "queue" } as const
    const failure = yield* Effect.match(store.commit(admit), {
      onSuccess: () => null,
      onFailure: ({ code, outcomeUnknown, retryable }) => ({ code, outcomeUnknown, retryable }),
    })
    say(failure === null ? { admitted: prompt } : { refused: prompt, ...failure })
    if (failure === null) continue
    if (ballast === undefined || last < promptsMax) break
    rmSync(ballast)
    last = count + promptsAfter
    count -= 1
  }
  const inbox = yield* store.inbox(session)
  say({ readable: inbox.length })
  yield* Effect.ignore(store.close())
})

await Effect.runPromise(work)
