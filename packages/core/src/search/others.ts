/**
 * What is found beside the words of Sessions: memories of the project, and its commits (SE1). Both are short, so
 * that they are worth what they hold of the question, and how near their meaning is; more than half of it, and they
 * stand among the best. A search of all projects names the project of each.
 */
import { Clock, Effect } from "effect"
import { snippetOf } from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { FoundOther } from "@holdfast/schema/search/found"
import type { Memory } from "@holdfast/schema/memory/memory"
import { partnerId } from "@holdfast/schema/memory/partner"
import type { Phrase } from "@holdfast/schema/search/phrase"
import { namesCommit } from "@holdfast/schema/search/commit-id"
import { searchWords, spokenWords } from "@holdfast/schema/search/words"
import type { Store } from "@holdfast/store/port"
import type { FoundCommit } from "@holdfast/store/search/embedding"
import type { QuestionMeaning } from "@holdfast/store/search/units"

export interface OtherHit {
  readonly worth: number
  readonly other: Omit<FoundOther, "place">
}

export interface OtherQuestion {
  readonly words: readonly string[]
  readonly phrases: readonly Phrase[]
  readonly meaning: QuestionMeaning | null
  /** What meaning is worth beside words. */
  readonly weight: number
  /** Of the project and its partners, that the window shows; ids of other projects mean nothing there. */
  readonly shownMemories: ReadonlySet<string>
}

type OtherStore = Pick<Store, "memories" | "projects" | "searchCommits" | "nearOthers">

/** What a memory or a commit is worth that holds all words of the question. */
const memoryWorth = 2
const commitWorth = 1.5
/** Memories that are looked through; a project has fewer. */
const memoriesMax = 5_000
/** Projects that a search of all looks into, those that began last. */
const projectsMax = 500
const commitsMax = 50
/** Of the question's words, what has to be in it. */
const shareMin = 0.3
/** The cosine of what could hardly be nearer. */
const likenessMax = 0.8

/** `root` is that of a project, null for all of them. */
export const findOthers = Effect.fnUntraced(function* (
  store: OtherStore,
  root: string | null,
  question: OtherQuestion,
): Effect.fn.Return<readonly OtherHit[], StoreFailure> {
  const now = yield* Clock.currentTimeMillis
  const memories = (yield* root === null ? memoriesOfAll(store) : memoriesOf(store, root)).filter(
    ({ memory: { expiresAt }, id }) =>
      !(root !== null && question.shownMemories.has(id)) && (expiresAt === null || expiresAt > now),
  )
  const projects = [...new Set(memories.map(({ key }) => key))]
  const near =
    question.meaning === null
      ? []
      : yield* store.nearOthers(question.meaning, root === null ? null : { projects, roots: [root] })
  const likeness = new Map<string, number>()
  const commits = new Map<string, FoundCommit>()
  for (const commit of yield* store.searchCommits(root, question.words, commitsMax))
    commits.set(commitKey(commit), commit)
  for (const one of near) {
    if (one.kind === "commit") commits.set(commitKey(one.commit), one.commit)
    likeness.set(one.kind === "commit" ? commitKey(one.commit) : `${one.project} ${one.id}`, one.likeness)
  }
  return [
    ...memories.flatMap(({ memory, id, key, project }) =>
      hit(question, likeness.get(`${key} ${memory.id}`) ?? 0, memory.text, {
        kind: "memory",
        id,
        time: memory.updatedAt,
        ...(project !== null && { project }),
      }),
    ),
    ...[...commits.values()].flatMap((commit) =>
      hit(
        question,
        likeness.get(commitKey(commit)) ?? 0,
        commit.text,
        {
          kind: "commit",
          id: commit.hash,
          time: commit.time,
          ...(root === null && { project: commit.root }),
        },
        namesCommit(question.words, commit.hash),
      ),
    ),
  ]
})

const commitKey = ({ root, hash }: FoundCommit): string => `${root} ${hash}`

interface SearchedMemory {
  readonly memory: Memory
  /** As it is told to who asks. */
  readonly id: string
  /** Of its project. */
  readonly key: number
  /** Its root, where that has to be told. */
  readonly project: string | null
}

const memoriesOf = Effect.fnUntraced(function* (
  store: OtherStore,
  root: string,
): Effect.fn.Return<readonly SearchedMemory[], StoreFailure> {
  const list = { status: "active", limit: memoriesMax, shared: true } as const
  const { project, memories, shared } = yield* store.memories(root, list)
  const theirs = (shared?.partners ?? []).flatMap(({ key, root: other, memories: of }) =>
    of.map((memory) => ({ memory, id: partnerId(memory.id, key), key, project: other })),
  )
  const own = { key: project?.key ?? 0, project: null }
  return [...memories.map((memory) => ({ memory, id: memory.id, ...own })), ...theirs]
})

const memoriesOfAll = Effect.fnUntraced(function* (
  store: OtherStore,
): Effect.fn.Return<readonly SearchedMemory[], StoreFailure> {
  const all: SearchedMemory[] = []
  for (const { key, root } of yield* store.projects({ limit: projectsMax })) {
    if (all.length >= memoriesMax) break
    const list = { status: "active", limit: memoriesMax - all.length } as const
    for (const memory of (yield* store.memories(root, list)).memories)
      all.push({ memory, id: memory.id, key, project: root })
  }
  return all
})

function hit(
  { words, phrases, meaning, weight }: OtherQuestion,
  likeness: number,
  text: string,
  other: Pick<FoundOther, "kind" | "id" | "time" | "project">,
  isNamed = false,
): readonly OtherHit[] {
  const held = shareOf(text, words, phrases)
  const share = isNamed ? 1 : held.share
  const exact = isNamed || held.exact
  const floor = meaning?.floor ?? Infinity
  if (share < shareMin && !exact && likeness < floor) return []
  const least = floor / 2
  const near = Math.min(1, Math.max(0, (likeness - least) / (likenessMax - least)))
  const most = other.kind === "memory" ? memoryWorth : commitWorth
  const worth = most * (share * share + weight * (Number.isFinite(floor) ? near : 0))
  return [{ worth, other: { ...other, exact, ...snippetOf(text, words) } }]
}

function shareOf(text: string, words: readonly string[], phrases: readonly Phrase[]) {
  const held = searchWords(text)
  const stems = new Set(held.map(stemOf))
  const asked = [...new Set(words.map(stemOf))]
  const found = asked.filter((stem) => stems.has(stem)).length
  const lineOf = (all: readonly string[]) => ` ${all.join(" ")} `
  const exact = phrases.some((phrase) =>
    lineOf(phrase.all === undefined ? held : spokenWords(text)).includes(lineOf(phrase.all ?? phrase.words)),
  )
  return { share: asked.length === 0 ? 0 : found / asked.length, exact }
}

const stemOf = (word: string): string => word.replace(/(?:ing|ed|es|s|e)$/u, "") || word
