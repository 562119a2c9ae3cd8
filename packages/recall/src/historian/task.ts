/**
 * One run of a historian, as values: the range with its prompt, what an answer to it is worth, and what
 * stands in its place where no model gave one (HI1). Whoever runs it only carries texts to a model and back.
 */
import type { Compartment } from "@holdfast/schema/fact/recall"
import type { Message } from "@holdfast/schema/message"
import { fingerprint, type Published } from "../history/publish.ts"
import { type Chunk, chunkOf, shownOf } from "./chunk.ts"
import { writtenBy } from "./draft.ts"
import { editorPrompt, tightened } from "./editor.ts"
import { extract } from "./extract.ts"
import { type Draft, readOutput } from "./output.ts"
import { historianPrompt, repairPrompt } from "./prompt.ts"
import { rawTokens } from "../size.ts"
import { chunkTokensMax, type Triggered } from "./trigger.ts"
import { discardLast, validate } from "./validate.ts"

export interface HistorianTask {
  readonly chunk: Chunk
  /** Those of the chunk. */
  readonly messages: readonly Message[]
  readonly prompt: string
  /** Hash of what the range holds (HI4). */
  readonly content: string
  /** Messages of the Session behind the chunk that somebody said. */
  readonly following: number
  readonly emergency: boolean
}

export interface Preparing {
  readonly session: string
  readonly triggered: Triggered
  /** Window of the historian's model. */
  readonly contextTokens: number
  readonly compartments: readonly Compartment[]
  readonly memory: readonly string[]
  /** All of the Session that the window holds. */
  readonly history: readonly Message[]
}

/** Null where nobody said anything in the range. */
export function prepareTask(preparing: Preparing): HistorianTask | null {
  const { session, triggered, contextTokens, history, memory } = preparing
  const chunk = chunkOf(triggered.messages, triggered, chunkTokensMax(contextTokens))
  if (chunk === null) return null
  const messages = inside(triggered.messages, chunk)
  const before = preparing.compartments
    .filter(({ toSeq }) => toSeq < chunk.fromSeq)
    .toSorted((a, b) => a.fromSeq - b.fromSeq)
  return {
    chunk,
    messages,
    prompt: historianPrompt({ session, chunk, before, memory }),
    content: rangeContent(messages),
    following: history.filter((message) => message.seq > chunk.toSeq && shownOf(message) !== null).length,
    emergency: triggered.emergency,
  }
}

const inside = (messages: readonly Message[], { fromSeq, toSeq }: Pick<Chunk, "fromSeq" | "toSeq">) =>
  messages.filter(({ seq }) => seq >= fromSeq && seq <= toSeq)

/** What a range holds, as a hash: an edit in it changes the hash, a reduction does not (HI4). */
export const rangeContent = (messages: readonly Message[]): string =>
  fingerprint(messages.flatMap((message) => (message.kind === "system" ? [] : [{ message }])))

export type Judged =
  /** `draft` is what it was made from, for an editor. */
  | { readonly kind: "taken"; readonly published: Published; readonly draft: Draft }
  /** `repair` is what to ask the same model once. */
  | { readonly kind: "faulty"; readonly faults: readonly string[]; readonly repair: string }

export function judgeAnswer(task: HistorianTask, answer: string): Judged {
  const read = readOutput(answer)
  if (read.kind === "faulty") return faulty(task, read.faults)
  const valid = validate(read.draft, task.chunk)
  if (valid.kind === "faulty") return faulty(task, valid.faults)
  return taken(task, valid.draft)
}

/** What an editor is asked, and what its answer is worth: where it cannot be used, the draft stands (HI9). */
export function editDraft(task: HistorianTask, draft: Draft) {
  return {
    prompt: editorPrompt(draft),
    judge: (answer: string): Judged => {
      const read = readOutput(answer)
      if (read.kind === "faulty") return faulty(task, read.faults)
      const edited = tightened(draft, read.draft)
      return edited === null ? faulty(task, [otherParts]) : taken(task, edited)
    },
  }
}

const otherParts = "The parts are not those of the draft: each stays, from and to as they are."

/** Whether it names what stands in what the historian was told beside its range, and not in the range: that is known, or nobody said it (MM2). */
function isRecalled({ prompt, chunk }: HistorianTask, fact: string): boolean {
  const beside = prompt.slice(0, prompt.lastIndexOf("<record>"))
  return namesIn(fact).some((name) => beside.includes(name) && !chunk.text.includes(name))
}

/** Words that are no plain words: paths, versions, identifiers. */
const namesIn = (text: string): readonly string[] =>
  (text.match(/[\p{L}\p{N}_][\p{L}\p{N}_./-]*[\p{L}\p{N}_]/gu) ?? []).filter((word) =>
    /[\p{N}_./-]|\p{Ll}\p{Lu}/u.test(word),
  )

function taken(task: HistorianTask, draft: Draft): Judged {
  const { chunk, messages, following, emergency } = task
  const uncovered = chunk.entries.length - ((draft.next ?? 1) - 1)
  const kept = discardLast(draft.parts, following + uncovered, emergency)
  const facts = draft.facts.filter(({ text }) => !isRecalled(task, text))
  const written = writtenBy({ ...draft, facts }, kept, chunk, messages)
  if (written === null) return faulty(task, ["No part is left."])
  const { span, ...said } = written
  return { kind: "taken", published: publication(task, span, "model", said), draft }
}

const faulty = ({ chunk }: HistorianTask, faults: readonly string[]): Judged => ({
  kind: "faulty",
  faults,
  repair: repairPrompt(faults, chunk.entries.length),
})

/** The same range without a model: the last tier, which always works. */
export function writeExtract(task: HistorianTask): Published {
  const said = task.messages.filter(({ kind }) => kind !== "system")
  const weighed = said.map((message) => ({ message, tokens: rawTokens(message) }))
  const compartments = extract(weighed, task.chunk)
  return publication(task, task.chunk, "extractive", { compartments, events: [], facts: [] })
}

const publication = (
  task: HistorianTask,
  { fromSeq, toSeq }: Pick<Chunk, "fromSeq" | "toSeq">,
  by: Published["by"],
  said: Pick<Published, "compartments" | "events" | "facts">,
): Published => ({
  type: "history.published",
  fromSeq: fromSeq as Published["fromSeq"],
  toSeq: toSeq as Published["toSeq"],
  fingerprint: rangeContent(inside(task.messages, { fromSeq, toSeq })),
  by,
  ...said,
  observations: [],
  replaces: [],
  job: null,
})
