/**
 * What is found beside the words of Sessions: memories of the project, and its commits (SE1). Both are short, so
 * that they are worth what they hold of the question; more than half of it, and they stand among the best.
 */
import { Clock, Effect } from "effect"
import { snippetOf } from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { FoundOther } from "@holdfast/schema/search/found"
import { partnerId } from "@holdfast/schema/memory/partner"
import { searchWords } from "@holdfast/schema/search/words"
import type { Store } from "@holdfast/store/port"
import { sharedRoot } from "../memory/project.ts"

export interface OtherHit {
  readonly worth: number
  readonly other: Omit<FoundOther, "place">
}

/** What a memory or a commit is worth that holds all words of the question. */
const memoryWorth = 2
const commitWorth = 1.5
/** Memories that are looked through; a project has fewer. */
const memoriesMax = 5_000
const commitsMax = 50
/** Of the question's words, what has to be in it. */
const shareMin = 0.3

export const findOthers = Effect.fnUntraced(function* (
  store: Pick<Store, "memories" | "searchCommits">,
  projectRoot: string,
  { words, phrases }: { readonly words: readonly string[]; readonly phrases: readonly (readonly string[])[] },
  shownMemories: ReadonlySet<string>,
): Effect.fn.Return<readonly OtherHit[], StoreFailure> {
  const root = sharedRoot(projectRoot)
  const now = yield* Clock.currentTimeMillis
  const { memories, shared } = yield* store.memories(root, {
    status: "active",
    limit: memoriesMax,
    shared: true,
  })
  const commits = yield* store.searchCommits(root, words, commitsMax)
  const theirs = (shared?.partners ?? []).flatMap(({ key, root: project, memories: of }) =>
    of.map((memory) => ({ ...memory, id: partnerId(memory.id, key), project })),
  )
  const hit = (
    kind: FoundOther["kind"],
    id: string,
    text: string,
    time: number,
    project?: string,
  ): readonly OtherHit[] => {
    const { share, exact } = shareOf(text, words, phrases)
    if (share < shareMin && !exact) return []
    const from = project === undefined ? {} : { project }
    const most = kind === "memory" ? memoryWorth : commitWorth
    return [
      { worth: most * share * share, other: { kind, id, ...from, time, exact, ...snippetOf(text, words) } },
    ]
  }
  return [
    ...[...memories.map((memory) => ({ ...memory, project: undefined })), ...theirs]
      .filter(({ id, expiresAt }) => !shownMemories.has(id) && (expiresAt === null || expiresAt > now))
      .flatMap(({ id, text, updatedAt, project }) => hit("memory", id, text, updatedAt, project)),
    ...commits.flatMap(({ hash, text, time }) => hit("commit", hash, text, time)),
  ]
})

function shareOf(text: string, words: readonly string[], phrases: readonly (readonly string[])[]) {
  const held = searchWords(text)
  const stems = new Set(held.map(stemOf))
  const asked = [...new Set(words.map(stemOf))]
  const found = asked.filter((stem) => stems.has(stem)).length
  const line = ` ${held.join(" ")} `
  const exact = phrases.some((phrase) => phrase.length > 0 && line.includes(` ${phrase.join(" ")} `))
  return { share: asked.length === 0 ? 0 : found / asked.length, exact }
}

const stemOf = (word: string): string => word.replace(/(?:ing|ed|es|s|e)$/u, "") || word
