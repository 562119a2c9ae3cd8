/**
 * What search finds of long conversations (`npm run eval -- recall --data FILE [--by-conversation] [--ablation] [--json]`).
 *
 * The file holds conversations with questions, and for each question the turns that answer it (the
 * shape of LoCoMo). Each conversation becomes a project with a Session for each of its days, written
 * into a store of its own as turns are, the first speaker as user; questions go to the search that tools and
 * commands ask. Counted is the share of the answering turns among the first five and the first ten.
 * Beside it stands what each part of the ranking is worth: the same without it.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { type Embedder, meaningFloor, embedderModel, openEmbedder } from "@holdfast/core/embedding/embedder"
import type { Meaning } from "@holdfast/core/embedding/embedding"
import { vectorsOf } from "@holdfast/core/embedding/vectors"
import { makeSearch, type Search, type SearchRequest } from "@holdfast/core/search/search"
import { type RankedWeights, rankWeights } from "@holdfast/recall"
import type { Fact } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import { openInlineStore, type Store } from "@holdfast/store"
import { asSaid, expansionOf, type Spelling, spellings } from "./ablation.ts"
import * as records from "../../packages/store/test/records.ts"

export interface RecallFigures extends Recall {
  readonly questions: number
  readonly p95Ms: number
  /** Of each conversation alone, and with weights that are chosen on the others. */
  readonly conversations?: readonly (Recall & { readonly chosenOnOthers: Recall })[]
  /** The same without a part of the ranking. */
  readonly without: Readonly<Record<string, Recall>>
  /** Questions asked again with words of what they found. */
  readonly expanded?: Recall
}

interface Recall {
  readonly r5: number
  readonly r10: number
}

interface Turn {
  readonly dia_id: string
  readonly speaker: string
  readonly text: string
  readonly blip_caption?: string
}

interface Conversation {
  readonly conversation: Readonly<Record<string, string | readonly Turn[]>>
  readonly qa: readonly {
    readonly question: string
    readonly category: number
    readonly evidence?: readonly string[]
  }[]
}

interface Question extends Omit<SearchRequest, "weights"> {
  /** Session and sequence of the messages that answer it. */
  readonly evidence: readonly string[]
}

/** The same without them, and what the weight of meaning against words is worth. */
const halfMeaning = "half the weight of meaning"

const parts: Readonly<Record<string, Partial<RankedWeights>>> = {
  "the units behind": { after: 0, second: 0 },
  "the author that is named": { author: 0 },
  "the rest of the Session": { session: 0 },
  "less for who asks": { asking: 0 },
  "the embedding model": { meaning: 0 },
  [halfMeaning]: { meaning: rankWeights.meaning / 2 },
}

/** Questions that have no answer in the conversation. */
const adversarial = 5

export interface RecallOptions {
  readonly byConversation?: boolean
  /** Also without what no weight turns off (ablation.ts). */
  readonly ablation?: boolean
}

export async function evaluateRecall(
  files: readonly string[],
  { byConversation = false, ablation = false }: RecallOptions = {},
): Promise<RecallFigures> {
  const conversations = files.flatMap((file) => JSON.parse(readFileSync(file, "utf8")) as Conversation[])
  const directory = mkdtempSync(join(tmpdir(), "holdfast-recall-"))
  const opened: Asked[] = []
  const embedder = remembering(await openEmbedder(localChoice))
  const open = async (spelling: Spelling): Promise<readonly Asked[]> => {
    const embed = (texts: readonly string[]) => embedder.embed(texts.map(spelling.said))
    const all: Asked[] = []
    for (const [at, conversation] of conversations.entries()) {
      const file = join(directory, `${opened.length}.db`)
      const store = await Effect.runPromise(openInlineStore({ file }))
      const questions = await writeConversation(store, conversation, at, spelling)
      const meaning = await embedAll(store, { embed })
      const one = { search: makeSearch(store, meaning), questions, close: store.close }
      opened.push(one)
      all.push(one)
    }
    return all
  }
  try {
    const asked = await open(asSaid)
    const { figures, p95Ms } = await ask(asked, rankWeights)
    const without: Record<string, Recall> = {}
    for (const [name, changed] of Object.entries(parts))
      without[name] = (await ask(asked, { ...rankWeights, ...changed })).figures
    for (const [name, spelling] of Object.entries(ablation ? spellings : {}))
      without[name] = (await ask(await open(spelling), rankWeights)).figures
    const expanded = ablation && { expanded: (await ask(asked.map(expanding), rankWeights)).figures }
    const questions = asked.reduce((sum, one) => sum + one.questions.length, 0)
    const apart = byConversation && { conversations: await eachConversation(asked) }
    return { questions, ...figures, p95Ms, ...apart, without, ...expanded }
  } finally {
    for (const { close } of opened) await Effect.runPromise(close())
    rmSync(directory, { recursive: true })
  }
}

/** Each text is embedded once, however often it is written. */
function remembering({ embed }: Embedder): Embedder {
  const known = new Map<string, Float32Array>()
  return {
    embed: async (texts) => {
      const fresh = [...new Set(texts)].filter((text) => !known.has(text))
      for (const [at, vector] of (await embed(fresh)).entries()) known.set(fresh[at] ?? "", vector)
      return texts.map((text) => known.get(text) ?? new Float32Array())
    },
  }
}

/** Each question is asked twice. */
const expanding = ({ search, ...one }: Asked): Asked => ({
  ...one,
  search: (request) =>
    Effect.flatMap(search(request), (first) =>
      search({ ...request, text: `${request.text} ${expansionOf(request.text, first)}` }),
    ),
})

/** How much of each weight is tried, one weight at a time. */
const tried = [0.5, 1.5]

/**
 * Leaves out one conversation at a time: weights are chosen on the others, by R@5 and R@10 together, and tried on it.
 */
async function eachConversation(asked: readonly Asked[]) {
  const keys = Object.keys(rankWeights) as (keyof RankedWeights)[]
  const choices = [
    rankWeights,
    ...keys.flatMap((key) => tried.map((times) => ({ ...rankWeights, [key]: rankWeights[key] * times }))),
  ]
  const figures: (readonly { readonly count: number; readonly recall: Recall }[])[] = []
  for (const weights of choices) {
    const each: { count: number; recall: Recall }[] = []
    for (const one of asked)
      each.push({ count: one.questions.length, recall: (await ask([one], weights)).figures })
    figures.push(each)
  }
  return asked.map((_one, left) => {
    const onOthers = figures.map((each) =>
      each.reduce(
        (sum, { count, recall }, at) => (at === left ? sum : sum + count * (recall.r5 + recall.r10)),
        0,
      ),
    )
    const chosen = figures[onOthers.indexOf(Math.max(...onOthers))]?.[left]?.recall
    const own = figures[0]?.[left]?.recall
    if (own === undefined || chosen === undefined) throw new Error("A conversation was not asked.")
    return { ...own, chosenOnOthers: chosen }
  })
}

const localChoice = { kind: "local" } as const

/** As the worker does it, but at once; questions are embedded once, and remembered. */
async function embedAll(store: Store, embedder: Embedder): Promise<Meaning> {
  const run = <A>(effect: Effect.Effect<A, unknown>) => Effect.runPromise(effect)
  const model = embedderModel(localChoice)
  const owner = { boot: "eval", space: "eval", pid: 1, start: "0", instance: "eval" }
  const held = await run(store.commit({ kind: "acquire-named", name: "embed", owner, dead: null }))
  if (held.kind !== "granted") throw new Error("A fresh store is held.")
  const { name, token } = held.lease
  await run(store.commit({ kind: "ask-embedding", of: { projectRoot: null }, model, chunkCharacters: 1_000 }))
  for (
    let step = await run(store.embeddingStep([model]));
    step !== null;
    step = await run(store.embeddingStep([model]))
  ) {
    const vectors = await vectorsOf(step, embedder)
    await run(store.commit({ kind: "write-vectors", name, token, step, vectors }))
  }
  const known = new Map<string, Float32Array>()
  return (text) =>
    Effect.succeed(
      Effect.promise(async () => {
        const vector = known.get(text) ?? (await embedder.embed([text]))[0]
        if (vector === undefined) return null
        known.set(text, vector)
        return { model, vector, floor: meaningFloor(model) }
      }),
    )
}

/** A conversation in a store of its own, so that the words of one do not weigh on another. */
interface Asked {
  readonly search: Search
  readonly questions: readonly Question[]
  readonly close: Store["close"]
}

export function recallTable({
  questions,
  r5,
  r10,
  p95Ms,
  without,
  expanded,
  conversations = [],
}: RecallFigures): string {
  const row = (name: string, figures: Recall) =>
    `${name.padEnd(34)}${figures.r5.toFixed(1).padStart(6)}${figures.r10.toFixed(1).padStart(6)}`
  return [
    `Answering turns found, in percent, of ${questions} questions; 95 of 100 took at most ${p95Ms.toFixed(1)} ms.`,
    "",
    `${"".padEnd(34)}${"R@5".padStart(6)}${"R@10".padStart(6)}`,
    row("search", { r5, r10 }),
    ...Object.entries(without).map(([name, figures]) =>
      row(`  ${name === halfMeaning ? "with" : "without"} ${name}`, figures),
    ),
    ...(expanded === undefined ? [] : [row("  with words of the first results", expanded)]),
    ...conversations.flatMap((each, at) => [
      row(`conversation ${at + 1}`, each),
      row("  weights chosen on the others", each.chosenOnOthers),
    ]),
  ].join("\n")
}

async function ask(asked: readonly Asked[], weights: RankedWeights) {
  const questions = asked.flatMap((one) =>
    one.questions.map((question) => ({ ...question, search: one.search })),
  )
  const sums = { r5: 0, r10: 0 }
  const times: number[] = []
  for (const { evidence, search, ...request } of questions) {
    const began = performance.now()
    const { found } = await Effect.runPromise(search({ ...request, weights, limit: 10 }))
    times.push(performance.now() - began)
    const places = found.map(({ session, fromSeq }) => placeKey(session, fromSeq))
    const share = (first: number) =>
      evidence.filter((one) => places.slice(0, first).includes(one)).length / evidence.length
    sums.r5 += share(5)
    sums.r10 += share(10)
  }
  const percent = (sum: number) => Math.round((10_000 * sum) / Math.max(1, questions.length)) / 100
  const p95Ms = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0
  return { figures: { r5: percent(sums.r5), r10: percent(sums.r10) }, p95Ms }
}

const placeKey = (session: SessionId, seq: number): string => `${session} ${seq}`

/** Days of a conversation that are kept apart by their numbers. */
const daysMax = 1_000

async function writeConversation(
  store: Store,
  { conversation, qa }: Conversation,
  at: number,
  { written }: Spelling,
): Promise<readonly Question[]> {
  const projectRoot = `/conversations/${at}`
  const first = String(conversation["speaker_a"])
  const second = String(conversation["speaker_b"])
  const places = new Map<string, string>()
  for (let day = 1; day < daysMax; day++) {
    const found = conversation[`session_${day}`]
    if (typeof found !== "object") continue
    const turns = found.map(({ dia_id, speaker, ...turn }) => ({
      dia_id,
      speaker,
      text: written(saidIn(turn)),
    }))
    const number = at * daysMax + day
    for (const [dia, seq] of await writeDay(store, number, projectRoot, turns, first))
      places.set(dia, placeKey(records.sessionId(number), seq))
  }
  return qa.flatMap(({ question: text, category, evidence = [] }) => {
    const named = new Set(evidence.flatMap((one) => one.split(/[;, ]+/)))
    const known = [...named].flatMap((dia) => places.get(dia.trim()) ?? [])
    if (category === adversarial || known.length === 0) return []
    return [
      { text: written(text), projectRoot, names: { user: [first], assistant: [second] }, evidence: known },
    ]
  })
}

/** Tells of each turn at which sequence its message stands. */
async function writeDay(
  store: Store,
  number: number,
  projectRoot: string,
  turns: readonly Turn[],
  user: string,
): Promise<Map<string, number>> {
  const created = records.create(number)
  const location = { directory: projectRoot, projectRoot }
  await Effect.runPromise(store.commit({ ...created, fact: { ...created.fact, location } }))
  const granted = await Effect.runPromise(store.commit(records.acquire(number)))
  if (granted.kind !== "granted") throw new Error("A fresh Session is held.")
  const bodies = await admitAll(store, number, turns, user)
  const facts: Fact[] = []
  const offsets = new Map<string, number>()
  for (const [index, { dia_id, ...turn }] of turns.entries()) {
    const id = number * daysMax + index
    const bodySeq = bodies.get(id)
    offsets.set(dia_id, facts.length)
    if (bodySeq !== undefined) facts.push(records.promoted(id, bodySeq))
    else {
      const part = records.partRecorded(id, 0, records.textPart(saidIn(turn)))
      facts.push(records.turnStarted(id), part, records.turnSettled(id))
    }
  }
  const { token } = granted.lease
  const done = await Effect.runPromise(
    store.commit(records.append(number, token, facts, { release: "always" })),
  )
  if (done.kind !== "appended") throw new Error(`The turns were not taken: ${done.kind}.`)
  return new Map([...offsets].map(([dia, offset]) => [dia, done.firstSeq + offset]))
}

const saidIn = ({ text, blip_caption }: Pick<Turn, "text" | "blip_caption">): string =>
  blip_caption === undefined ? text : `${text} ${blip_caption}`

/** The sequences of the bodies, by prompt; together they are one commit. */
async function admitAll(store: Store, number: number, turns: readonly Turn[], user: string) {
  const prompts = turns.flatMap((turn, index) =>
    turn.speaker === user ? [{ id: number * daysMax + index, text: saidIn(turn) }] : [],
  )
  const admitted = await Effect.runPromise(
    Effect.all(
      prompts.map(({ id, text }) => store.commit(records.admit(number, id, { text }))),
      { concurrency: "unbounded" },
    ),
  )
  return new Map(
    admitted.map((outcome, at) => {
      if (outcome.kind !== "admitted") throw new Error(`A prompt was not taken: ${outcome.kind}.`)
      return [prompts[at]?.id, outcome.seq] as const
    }),
  )
}
