/** Changes of a project's memory, decided where nobody can come between: inside the transaction (MM1). */
import {
  bumpsEpoch,
  type JudgedChange,
  judgeChange,
  type KnownMemories,
  memoryIdAt,
} from "@holdfast/schema/memory/fold"
import type { DreamFact } from "@holdfast/schema/memory/dream"
import type { Memory, MemoryChange, MemoryId } from "@holdfast/schema/memory/memory"
import type { ChangeMemory, ChangeMemoryOutcome, Dream, DreamOutcome } from "../../memory.ts"
import type { ProjectPlace } from "../../memory.ts"
import type { Connection } from "../connection.ts"
import type { Applied } from "../input-commands.ts"
import { namedLease } from "../lease/named.ts"
import { appendProjectFact, type KeyedProject, knownMemories, openProject } from "./rows.ts"

/** All of the changes or none, each judged behind those before it. */
export function changeMemory(
  connection: Connection,
  { project, time, changes }: ChangeMemory,
): Applied<ChangeMemory> {
  return {
    outcome: allOrNone(connection, () => changeMemories(connection, project, time, changes)),
    advanced: null,
  }
}

/** The fact comes first: what follows it belongs to the run that it begins. */
export function dream(
  connection: Connection,
  { project, time, under, fact, changes }: Dream,
): Applied<Dream> {
  if (namedLease(connection, under.name)?.token !== under.token)
    return { outcome: { kind: "lost" }, advanced: null }
  const outcome = allOrNone(connection, (): DreamOutcome => {
    const factSeq = fact === null ? null : addFact(connection, project, time, fact)
    const made = changeMemories(connection, project, time, changes)
    return made.kind === "changed" ? { ...made, factSeq } : made
  })
  return { outcome, advanced: null }
}

export function addFact(connection: Connection, place: ProjectPlace, time: number, fact: DreamFact): number {
  const project = openProject(connection, place)
  const seq = project.seq + 1
  appendProjectFact(connection, project, { seq, time, fact })
  keepEnd(connection, project, seq, project.epoch)
  return seq
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
  const known = knownMemories(connection, project.key)
  let { seq, epoch } = project
  const results: Result[] = []
  for (const change of changes) {
    const judged = judgeChange(change, known)
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

/** Where the log of the project ends now. */
export function keepEnd(
  connection: Connection,
  { key, seq: before }: KeyedProject,
  seq: number,
  epoch: number,
): void {
  if (seq > before) connection.run("UPDATE project SET seq = ?, epoch = ? WHERE key = ?", seq, epoch, key)
}

function resultOf(judged: JudgedChange, before: number, { byId }: KnownMemories): Result | null {
  if (judged.kind === "same") return { memory: judged.memory, made: "same" }
  const fact = judged.kind === "facts" ? judged.facts[0] : undefined
  if (fact === undefined) return null
  const id: MemoryId = "memory" in fact ? fact.memory : memoryIdAt(before + 1)
  const made = fact.type === "memory.seen" ? "seen" : "memory" in fact ? "changed" : "written"
  return { memory: byId(id) as Memory, made }
}
