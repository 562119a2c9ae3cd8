/**
 * Directives: what a test or a person writes into a prompt to say what the model answers.
 *
 *   @@SIM{"steps":[{"tools":[{"name":"read","input":{"path":"a.md"}}]},{"text":"Done."}]}@@
 *
 * A step is chosen by its distance from the end of the conversation, so that a directive has no state
 * and works across processes. A model follows directives only where it was made to: in anybody
 * else's prompt they are words. One that is wrong is answered with what is wrong about it.
 */
import { type Fault, apiErrorTypes, faultKinds } from "./faults.ts"
import type { JsonObject } from "./json.ts"
import { isObject } from "./json.ts"
import type { Reply, ReplyBlock, SimModel } from "./model.ts"
import { readTurn } from "./offline/turn.ts"
import { textReply } from "./scripted.ts"
import { all, needed, shapesOf } from "./shape.ts"
import type { Check } from "./shape.ts"

/** One step of a directive. */
export interface DirectiveStep extends Omit<Reply, "blocks"> {
  readonly thinking?: string
  readonly text?: string
  readonly tools?: readonly { readonly name: string; readonly input?: JsonObject; readonly id?: string }[]
}

/** The model, made to follow directives. */
export function directed(model: SimModel): SimModel {
  return {
    ...model,
    reply(view) {
      const { text, step } = readTurn(view)
      return directiveReply(text, step) ?? model.reply(view)
    },
  }
}

/** The reply that a directive asks for at this step, or nothing if the text holds none. */
function directiveReply(text: string, step: number): Reply | undefined {
  const start = text.lastIndexOf("@@SIM{")
  if (start < 0) return undefined
  const end = text.indexOf("}@@", start)
  const value = end < 0 ? undefined : parse(text.slice(start + "@@SIM".length, end + 1))
  const steps = isObject(value) ? value["steps"] : undefined
  if (!Array.isArray(steps)) return textReply("The @@SIM directive is not valid JSON with a list of steps.")
  const wrong = list(directiveStep)("steps", steps)
  if (wrong !== undefined) return textReply(`The @@SIM directive is wrong: ${wrong.message}`)
  const chosen = (steps as readonly DirectiveStep[])[step]
  return chosen === undefined ? textReply(`The @@SIM directive has no step ${step + 1}.`) : stepReply(chosen)
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // A syntax error in a directive is an answer to its author, not a crash.
    return undefined
  }
}

function stepReply(step: DirectiveStep): Reply {
  const { thinking, text, tools, ...rest } = step
  const blocks: ReplyBlock[] = []
  if (thinking !== undefined) blocks.push({ type: "thinking", text: thinking })
  if (text !== undefined && text !== "") blocks.push({ type: "text", text })
  for (const { input = {}, ...tool } of tools ?? []) blocks.push({ type: "tool_use", input, ...tool })
  return { ...rest, blocks }
}

const wrong = (path: string, message: string) => ({
  status: 400,
  type: "directive",
  message: `${path} ${message}.`,
})

const { flag, list, loose, number, object, oneOf, text } = shapesOf({
  join: (path, key) => (typeof key === "number" ? `${path}[${key}]` : `${path}.${key}`),
  isAbsent: (value) => value === undefined,
  missing: (path) => wrong(path, "is missing"),
  unknown: (path, key) => wrong(`${path}.${key}`, "is not known"),
  wrongType: (path, kind) => wrong(path, `is no ${kind}`),
  wrongValue: (path, _, values) => wrong(path, `is none of ${values.join(", ")}`),
  belowMin: (path, _, min) => wrong(path, `is less than ${min}`),
  aboveMax: (path, _, max) => wrong(path, `is more than ${max}`),
})

const msMax = 600_000
const countMax = 1_000_000_000
const pause = number("decimal", { min: 0, max: msMax })
const count = number("integer", { min: 0, max: countMax })
const size = number("integer", { min: 1, max: countMax })

const image: Check = (path, value) =>
  isObject(value) && value["index"] !== undefined
    ? object({ index: needed(count) })(path, value)
    : object({ hash: needed(text()) })(path, value)

/** What some kinds of fault cannot do without. */
const faultNeeds: Readonly<Partial<Record<Fault["kind"], Check>>> = {
  refused: loose({ status: needed(count), type: needed(text()), message: needed(text()) }),
  "poisoned-image": loose({ image: needed(image) }),
}

const fault: Check = all(
  object({
    kind: needed(oneOf(faultKinds)),
    afterDeltas: count,
    retryAfter: number("decimal", { min: 0, max: countMax }),
    asDate: flag,
    tokens: count,
    tokensMax: count,
    status: number("integer", { min: 200, max: 599 }),
    type: oneOf(apiErrorTypes),
    message: text(),
    image,
    form: oneOf(["flat", "failed"]),
  }),
  (path, value) => faultNeeds[(value as Fault).kind]?.(path, value),
)

const directiveStep = object({
  thinking: text(),
  text: text(),
  tools: list(object({ name: needed(text()), input: loose(), id: text() })),
  stopReason: text(),
  chunkChars: size,
  delayMs: pause,
  firstByteMs: pause,
  framesPerWrite: size,
  bytesPerWrite: size,
  fault,
  faultTries: count,
  outputTokens: count,
  unknownEvents: flag,
})
