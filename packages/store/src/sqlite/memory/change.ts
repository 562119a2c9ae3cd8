/** Changes of a project's memory, decided where nobody can come between: inside the transaction (MM1). */
import {
  bumpsEpoch,
  type JudgedChange,
  judgeChange,
  type KnownMemories,
  memoryIdAt,
} from "@holdfast/schema/memory/fold"
import type { Memory, MemoryChange, MemoryId } from "@holdfast/schema/memory/memory"
import type { ChangeMemory, ChangeMemoryOutcome, Dream, DreamOutcome } from "../../memory.ts"
import type { ProjectPlace } from "../../memory.ts"
import type { Connection } from "../connection.ts"
import type { Applied } from "../input-commands.ts"
import { namedLease } from "../lease/named.ts"
import {
  addFact,
  appendProjectFact,
  findProject,
  keepEnd,
  type KeyedProject,
  knownMemories,
  openProject,
  tellSaid,
} from "./rows.ts"
import { partnerOf } from "./workspace.ts"

/** All of the changes or none, each judged behind those before it. */
export function changeMemory(
  connection: Connection,
  { project, time, changes, partner, takenBack }: ChangeMemory,
): Applied<ChangeMemory> {
  const change = () =>
    partner === undefined
      ? takeBack(connection, project, time, changes, takenBack)
      : changePartner(connection, project.root, partner, time, changes)
  return { outcome: allOrNone(connection, change), advanced: null }
}

/** What stands in the log since the plan was made may be another choice, which is not taken back. */
function takeBack(
  connection: Connection,
  project: ProjectPlace,
  time: number,
  changes: readonly MemoryChange[],
  takenBack?: ChangeMemory["takenBack"],
): ChangeMemoryOutcome {
  if (takenBack === undefined) return changeMemories(connection, project, time, changes)
  const { facts, followsSeq } = takenBack
  if (facts.length > 0 && findProject(connection, project.root)?.seq !== followsSeq)
    return { kind: "refused", problem: "inactive", ids: [] }
  for (const fact of facts) addFact(connection, project, time, fact)
  const asTheyWere = changes.map((change) =>
    change.change === "restore" ? { ...change, beside: true as const } : change,
  )
  return changeMemories(connection, project, time, asTheyWere)
}

/** MM3: of a partner's memories there are only those of the shared categories, and they stay in these. */
function changePartner(
  connection: Connection,
  root: string,
  key: number,
  time: number,
  changes: readonly MemoryChange[],
): ChangeMemoryOutcome {
  const ids = [...new Set(changes.flatMap(idsOf))]
  const own = findProject(connection, root)
  const partner = own === undefined ? null : partnerOf(connection, own.key, key)
  if (partner === null) return { kind: "refused", problem: "unknown", ids }
  const { project, categories } = partner
  const leaves = (change: MemoryChange): boolean =>
    change.change === "write" ||
    ("category" in change && change.category !== null && !categories.includes(change.category))
  if (changes.some(leaves)) return { kind: "refused", problem: "unshared", ids }
  const known = knownMemories(connection, key)
  const isShared = (memory: Memory | null): memory is Memory =>
    memory !== null && categories.includes(memory.category)
  const shared = (memory: Memory | null): Memory | null => (isShared(memory) ? memory : null)
  const seen: KnownMemories = {
    byId: (id) => shared(known.byId(id)),
    byContent: (content) => shared(known.byContent(content)),
    bySubject: (subject) => known.bySubject(subject).filter(isShared),
  }
  return changeKnown(connection, project, seen, time, changes)
}

const idsOf = (change: MemoryChange): readonly MemoryId[] => {
  if (change.change === "write") return change.supersedes
  return change.change === "merge" ? change.from : [change.memory]
}

/** The fact comes first: what follows it belongs to the run that it begins. */
export function dream(
  connection: Connection,
  { project, time, under, fact, changes, seen }: Dream,
): Applied<Dream> {
  if (namedLease(connection, under.name)?.token !== under.token)
    return { outcome: { kind: "lost" }, advanced: null }
  const outcome = allOrNone(connection, (): DreamOutcome => {
    const known = knownMemories(connection, openProject(connection, project).key)
    const changed = seen.filter(({ id, changedSeq }) => known.byId(id)?.changedSeq !== changedSeq)
    if (changed.length > 0) return { kind: "refused", problem: "inactive", ids: changed.map(({ id }) => id) }
    const factSeq = fact === null ? null : addFact(connection, project, time, fact)
    const made = changeMemories(connection, project, time, changes)
    return made.kind === "changed" ? { ...made, factSeq } : made
  })
  return { outcome, advanced: null }
}

function allOrNone<O extends { readonly kind: string }>(connection: Connection, attempt: () => O): O {
  connection.exec("SAVEPOINT changes")
  const outcome = attempt()
  if (outcome.kind === "refused") connection.exec("ROLLBACK TO changes")
  connection.exec("RELEASE changes")
  return outcome
}

type Result = Extract<ChangeMemoryOutcome, { kind: "changed" }>["results"][number]

export function changeMemories(
  connection: Connection,
  place: ProjectPlace,
  time: number,
  changes: readonly MemoryChange[],
): ChangeMemoryOutcome {
  const project = openProject(connection, place)
  const outcome = changeKnown(connection, project, knownMemories(connection, project.key), time, changes)
  if (outcome.kind === "changed") tellSaid(connection, place.root, project, time, outcome.seq - project.seq)
  return outcome
}

function changeKnown(
  connection: Connection,
  project: KeyedProject,
  known: KnownMemories,
  time: number,
  changes: readonly MemoryChange[],
): ChangeMemoryOutcome {
  let { seq, epoch } = project
  const results: Result[] = []
  for (const change of changes) {
    const judged = judgeChange(change, known, time)
    if (judged.kind === "refused") return judged
    const before = seq
    for (const fact of judged.kind === "facts" ? judged.facts : []) {
      appendProjectFact(connection, project, { seq: ++seq, time, fact })
      if (bumpsEpoch(fact)) epoch = seq
    }
    const result = resultOf(judged, before, known)
    if (result !== null) results.push(result)
  }
  keepEnd(connection, project, seq, epoch)
  return { kind: "changed", seq, epoch, results }
}

function resultOf(judged: JudgedChange, before: number, { byId }: KnownMemories): Result | null {
  if (judged.kind === "same") return { memory: judged.memory, made: "same" }
  const fact = judged.kind === "facts" ? judged.facts[0] : undefined
  if (fact === undefined) return null
  const id: MemoryId = "memory" in fact ? fact.memory : memoryIdAt(before + 1)
  const made = fact.type === "memory.seen" ? "seen" : "memory" in fact ? "changed" : "written"
  return { memory: byId(id) as Memory, made }
}
