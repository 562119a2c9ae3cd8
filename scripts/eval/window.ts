/**
 * What a model still has of a long session (`npm run eval -- window`).
 *
 * A recorded session is put through recall's own planner in a small window, answer by answer. Of each
 * answer the facts that it uses are looked for: names, paths and numbers that were said before and are
 * rare, what the user had said of the same, and errors that programs had put out. Counted are those whose last mention has left the tail:
 * they are in the window all the same, one `context_expand` away (the window shows the last part of the
 * name, or the message of the user, on the compartment that holds it), or lost.
 *
 * Beside it stand simpler ways to the same size (`keepers.ts`), and the agent's own compaction where the
 * session has one: of what had left its window, how much it had lost and how much recall has.
 */
import type { Message } from "@holdfast/schema/message"
import { factsUsed, makeIndex, noteMessage, textOf, type UsedFact } from "./facts.ts"
import { type Keeper, Summary, Truncation, Words } from "./keepers.ts"
import { Recalled, type Scribe } from "./recalled.ts"
import type { Compaction, EvalSession } from "./sessions.ts"

export type FateName = "inWindow" | "oneExpand" | "lost"
export type Counts = Readonly<Record<FateName, number>>

export interface Fate extends Counts {
  /** Of these, what the user or the model had said or a call had asked for. */
  readonly spoken: Counts
  /** Of these, lines that a program put out as an error. */
  readonly errors: Counts
}

export interface KeptFigures {
  readonly averageTokens: number
  readonly fate: Fate
}

export interface WindowFigures {
  readonly name: string
  readonly answers: number
  readonly cuts: number
  readonly recall: KeptFigures
  /** Plain truncation, one summary, and a list of rare words, at the same size. */
  readonly truncation: KeptFigures
  readonly summary: KeptFigures
  readonly words: KeptFigures
  /** Facts that had left the window of the agent that recorded the session; null where it never compacted. */
  readonly recorded: Recorded | null
  /** With a scripted historian: of the facts that had left its tail and the extractive one's, what either has. */
  readonly both: Both | null
}

export interface Both {
  readonly scripted: Counts
  readonly extractive: Counts
}

interface Recorded {
  readonly facts: number
  readonly lostByAgent: number
  readonly lostByRecall: number
}

const none: Counts = { inWindow: 0, oneExpand: 0, lost: 0 }
export const noFate: Fate = { ...none, spoken: none, errors: none }

export const noBoth: Both = { scripted: none, extractive: none }

export const addBoth = (a: Both, b: Both): Both => ({
  scripted: add(a.scripted, b.scripted),
  extractive: add(a.extractive, b.extractive),
})

const add = (a: Counts, b: Counts): Counts => ({
  inWindow: a.inWindow + b.inWindow,
  oneExpand: a.oneExpand + b.oneExpand,
  lost: a.lost + b.lost,
})

export const addFates = (a: Fate, b: Fate): Fate => ({
  ...add(a, b),
  spoken: add(a.spoken, b.spoken),
  errors: add(a.errors, b.errors),
})

export function evaluateWindow(
  session: EvalSession,
  contextTokens: number,
  scribe: Scribe | null = null,
): WindowFigures {
  const index = makeIndex()
  const recalled = new Recalled(contextTokens, scribe)
  const extractive = scribe === null ? null : new Recalled(contextTokens)
  let both = noBoth
  const keepers = { truncation: new Truncation(), summary: new Summary(), words: new Words() }
  const sums = { recall: noFate, truncation: noFate, summary: noFate, words: noFate }
  const recorded = new Agent(session.compactions)
  let answers = 0
  for (const message of session.messages) {
    if (message.kind === "assistant" && recalled.messages.length > 0) {
      answers += 1
      const cut = recalled.request()
      for (const keeper of Object.values(keepers)) keeper.request(recalled, cut)
      const used = factsUsed(index, message)
      sums.recall = addFates(sums.recall, judge(recalled, used))
      for (const name of ["truncation", "summary", "words"] as const)
        sums[name] = addFates(sums[name], judge(keepers[name], used))
      recorded.judge(message.seq, used, recalled)
      if (extractive !== null) both = addBoth(both, judgeBoth(recalled, extractive, used))
    }
    recalled.add(message)
    extractive?.add(message)
    recorded.messages.push(message)
    for (const keeper of Object.values(keepers)) keeper.add(message)
    noteMessage(index, message)
  }
  const kept = (keeper: Pick<Keeper, "tokens">, fate: Fate): KeptFigures => ({
    averageTokens: Math.round(keeper.tokens / Math.max(1, answers)),
    fate,
  })
  return {
    name: session.name,
    answers,
    cuts: recalled.cuts,
    recall: kept(recalled, sums.recall),
    truncation: kept(keepers.truncation, sums.truncation),
    summary: kept(keepers.summary, sums.summary),
    words: kept(keepers.words, sums.words),
    recorded: recorded.figures,
    both: extractive === null ? null : both,
  }
}

/** Cuts fall elsewhere with another historian, so that other facts have left: only those are compared that left both tails. */
function judgeBoth(scripted: Recalled, extractive: Recalled, used: readonly UsedFact[]): Both {
  extractive.request()
  const gone = used.filter((fact) => !fact.shownIn(scripted.tail) && !fact.shownIn(extractive.tail))
  return {
    scripted: judge(scripted, gone),
    extractive: judge(extractive, gone),
  }
}

/** Of the facts used, those that the tail no longer has. */
function judge(keeper: Pick<Keeper, "tail" | "fateOf" | "hasCut">, used: readonly UsedFact[]): Fate {
  if (!keeper.hasCut) return noFate
  const [all, spoken, errors] = [{ ...none }, { ...none }, { ...none }]
  const { tail } = keeper
  for (const fact of used) {
    if (fact.shownIn(tail)) continue
    const fate = keeper.fateOf(fact)
    all[fate] += 1
    if (fact.spoken) spoken[fate] += 1
    if (fact.kind === "error") errors[fate] += 1
  }
  return { ...all, spoken, errors }
}

/** The agent that recorded the session: behind a compaction it had its summary, and what came since. */
class Agent {
  readonly messages: Message[] = []
  private readonly compactions: readonly Compaction[]
  private counted: Recorded | null = null

  constructor(compactions: readonly Compaction[]) {
    this.compactions = compactions.filter(({ summarised }) => summarised)
  }

  get figures(): Recorded | null {
    return this.counted
  }

  judge(seq: number, used: readonly UsedFact[], recalled: Recalled): void {
    const compaction = this.compactions.findLast(({ atSeq }) => atSeq <= seq)
    if (compaction === undefined) return
    const since = this.messages
      .filter((message) => message.seq >= compaction.atSeq)
      .map(textOf)
      .join("\n")
    const { tail } = recalled
    const gone = used.filter((fact) => !fact.shownIn(since))
    const lostByRecall = gone.filter((fact) => !fact.shownIn(tail) && recalled.fateOf(fact) === "lost").length
    const before = this.counted ?? { facts: 0, lostByAgent: 0, lostByRecall: 0 }
    this.counted = {
      facts: before.facts + gone.length,
      lostByAgent: before.lostByAgent + gone.filter((fact) => !fact.shownIn(compaction.kept)).length,
      lostByRecall: before.lostByRecall + lostByRecall,
    }
  }
}
