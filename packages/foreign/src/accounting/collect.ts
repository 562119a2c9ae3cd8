/**
 * Requests out of records: each counted once, with what stood between it and the one before it.
 *
 * A request belongs to the session that names it first; a session that repeats it (a copy, a fork, a
 * branch in a file of its own) goes on from it without counting it again. Of its numbers the last line
 * holds, of its time and its place the first.
 */
import type {
  Agent,
  ForeignRecord,
  PromptRecord,
  SessionRecord,
  UsageRecord,
  UsageTokens,
} from "../record.ts"

export interface Request {
  readonly session: Account
  readonly provider: string
  readonly model: string
  /** When its answer was first recorded. */
  readonly at: number | null
  tokens: UsageTokens
  readonly previous: Request | null
  /** What the file shows to have changed since the previous request. */
  readonly changed: readonly Change[]
}

export type Change = "compaction" | "history" | "effort" | "tools" | "system"

/** What is known of one session. */
export interface Account {
  readonly id: string
  readonly agent: Agent
  readonly file: string
  title: string | null
  /** How its person began, where that is known: sessions without a title are told apart by it. */
  words: string | null
  directory: string | null
  createdAt: number | null
  /** The session that it is a side chain of. */
  readonly childOf: string | null
  readonly requests: Request[]
}

/** Kinds of what was skipped, by reason and detail, and how often. */
export type Skips = ReadonlyMap<string, number>

export interface Collected {
  readonly accounts: readonly Account[]
  readonly skips: Skips
}

/** Kinds of skipped lines that are told apart; the rest is counted together. */
const skipKindsMax = 200

interface Running {
  readonly account: Account
  last: Request | null
  readonly changed: Set<Change>
  readonly settings: Map<string, string>
  settingsAtLast: ReadonlyMap<string, string>
}

export class Collector {
  readonly #running = new Map<string, Running>()
  readonly #requests = new Map<string, Request>()
  readonly #skips = new Map<string, number>()

  /** Records of one file after another, in their order. */
  add(record: ForeignRecord, file: string): void {
    if (record.type === "session") this.#session(record, file)
    else if (record.type === "skipped") this.#skip(`${record.why} ${record.detail}`, record.why)
    else {
      const running = this.#running.get(record.session)
      if (running === undefined) return
      if (record.type === "usage") this.#usage(record, running)
      else if (record.type === "compaction") running.changed.add("compaction")
      else if (record.type === "prompt") speak(running.account, record)
      else if (record.type === "branch") running.changed.add("history")
      else if (record.type === "setting") running.settings.set(record.name, record.value)
    }
  }

  collected(): Collected {
    return { accounts: [...this.#running.values()].map(({ account }) => account), skips: this.#skips }
  }

  #session(record: SessionRecord, file: string): void {
    const known = this.#running.get(record.session)?.account
    if (known !== undefined) {
      known.title = record.title ?? known.title
      known.directory ??= record.directory
      known.createdAt ??= record.createdAt
      return
    }
    const { session: id, agent, title, directory, createdAt, parent } = record
    const childOf = parent?.kind === "child" ? parent.session : null
    this.#running.set(id, {
      account: { id, agent, file, title, words: null, directory, createdAt, childOf, requests: [] },
      last: null,
      changed: new Set(),
      settings: new Map(),
      settingsAtLast: new Map(),
    })
  }

  #usage(record: UsageRecord, running: Running): void {
    const known = this.#requests.get(record.request)
    const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = record
    const tokens = { input, cacheRead, cacheWrite5m, cacheWrite1h, output }
    if (known !== undefined) {
      known.tokens = tokens
      if (known !== running.last) this.#goOn(running, known)
      return
    }
    const request: Request = {
      session: running.account,
      provider: record.provider,
      model: record.model,
      at: record.at,
      tokens,
      previous: running.last,
      changed: [...running.changed, ...settingsChanged(running)],
    }
    this.#requests.set(record.request, request)
    running.account.requests.push(request)
    this.#goOn(running, request)
  }

  /** A request that nothing was counted of (given up, refused) wrote no cache: what changed before it still counts. */
  #goOn(running: Running, request: Request): void {
    if (promptTokens(request.tokens) === 0) return
    running.last = request
    running.changed.clear()
    running.settingsAtLast = new Map(running.settings)
  }

  #skip(name: string, otherwise: string): void {
    const kept = this.#skips.has(name) || this.#skips.size < skipKindsMax ? name : otherwise
    this.#skips.set(kept, (this.#skips.get(kept) ?? 0) + 1)
  }
}

const wordsCharactersMax = 80

function speak(account: Account, { by, text }: PromptRecord): void {
  if (account.words === null && by === "person" && text.trim() !== "")
    account.words = text
      .slice(0, wordsCharactersMax * 4)
      .replaceAll(/\s+/g, " ")
      .trim()
      .slice(0, wordsCharactersMax)
}

/** All tokens that a request sent. */
export const promptTokens = ({ input, cacheRead, cacheWrite5m, cacheWrite1h }: UsageTokens): number =>
  input + cacheRead + cacheWrite5m + cacheWrite1h

export const writtenTokens = ({ cacheWrite5m, cacheWrite1h }: UsageTokens): number =>
  cacheWrite5m + cacheWrite1h

/** The model is not among them: every request names its own. */
function settingsChanged({ settings, settingsAtLast, last }: Running): readonly Change[] {
  if (last === null) return []
  return (["effort", "tools", "system"] as const).filter((name) => {
    const before = settingsAtLast.get(name)
    return before !== undefined && before !== settings.get(name)
  })
}
