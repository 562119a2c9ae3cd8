/** Records of an invented session, and what an import makes of them without a store. */
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { Entry } from "../../src/facts/log.ts"
import { type ImportChoices, type ImportedSession, importedSessions } from "../../src/facts/sessions.ts"
import type {
  AssistantRecord,
  CompactionRecord,
  ForeignPart,
  ForeignRecord,
  PromptRecord,
  ResultRecord,
  UsageRecord,
} from "../../src/record.ts"

const session = "s-1"
const hour = 3_600_000
/** Each line a second after the one before. */
const placed = (id: string, line: number) => ({ session, id, at: hour + line * 1_000, line })

export const header: ForeignRecord = {
  type: "session",
  session,
  agent: "claude-code",
  title: null,
  directory: "/nowhere/app",
  createdAt: hour,
  parent: null,
}

export const prompt = (line: number, text: string, by: PromptRecord["by"] = "person"): PromptRecord => ({
  type: "prompt",
  ...placed(`p${line}`, line),
  by,
  text,
  images: [],
})

export const answer = (line: number, message: string, ...parts: readonly ForeignPart[]): AssistantRecord => ({
  type: "assistant",
  ...placed(`a${line}`, line),
  message,
  provider: "anthropic",
  model: "claude-opus-4-5",
  parts,
  finish: null,
})

export const text = (words: string): ForeignPart => ({ type: "text", text: words })
export const call = (id: string, name = "Bash"): ForeignPart => ({
  type: "call",
  call: id,
  name,
  input: { command: `run ${id}` },
})

export const result = (line: number, of: string, words: string): ResultRecord => ({
  type: "result",
  ...placed(`r${line}`, line),
  call: of,
  name: null,
  state: "done",
  text: words,
  images: [],
})

export const usage = (line: number, request: string, output: number): UsageRecord => ({
  type: "usage",
  session,
  request,
  provider: "anthropic",
  model: "claude-opus-4-5",
  input: 10,
  cacheRead: 1_000,
  cacheWrite5m: 100,
  cacheWrite1h: 50,
  output,
  at: hour + line * 1_000,
  line,
})

export const compaction = (line: number, keptFrom: string | null = null): CompactionRecord => ({
  type: "compaction",
  ...placed(`c${line}`, line),
  keptFrom,
  tokensBefore: 5_000,
  cause: "automatic",
})

export const branch = (line: number, after: string | null): ForeignRecord => ({
  type: "branch",
  session,
  after,
  at: hour + line * 1_000,
  line,
})

/** Words, calls side by side, an id that comes twice, a steering prompt, a compaction and an end. */
export const invented: readonly ForeignRecord[] = [
  header,
  prompt(1, "What is here?"),
  prompt(2, "<system-reminder>Be brief.</system-reminder>", "agent"),
  answer(3, "m1", text("I look."), call("c1"), call("c2")),
  usage(3, "q1", 1),
  usage(4, "q1", 30),
  result(5, "c2", "second"),
  prompt(6, "And hurry."),
  result(7, "c1", "first"),
  answer(8, "m2", call("c1", "mcp.server/odd name")),
  result(9, "c1", "once more"),
  answer(10, "m3", text("Done.")),
  usage(10, "q3", 5),
  compaction(11),
  prompt(12, "The talk so far: all is well.", "summary"),
  prompt(13, "Go on."),
  answer(14, "m4", text("I go on.")),
  answer(15, "m4", call("c9")),
]

const choices = (stored: readonly Entry[] | null = null): ImportChoices => ({
  takeImage: async () => null,
  locate: async (directory) => ({ directory: directory ?? "/", projectRoot: directory ?? "/" }),
  stored: async () => stored,
})

export const importAll = (
  records: readonly ForeignRecord[],
  stored: readonly Entry[] | null = null,
): Promise<readonly ImportedSession[]> => importedSessions(records, choices(stored))

export async function importOne(
  records: readonly ForeignRecord[],
  stored: readonly Entry[] | null = null,
): Promise<ImportedSession> {
  const [first] = await importAll(records, stored)
  if (first === undefined) throw new Error("nothing was imported")
  return first
}

export const factsOf = <T extends Fact["type"]>(log: readonly Entry[], type: T): readonly FactOf<T>[] =>
  log.flatMap(({ fact }) => (fact.type === type ? [fact as FactOf<T>] : []))
