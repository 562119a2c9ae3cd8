/**
 * Items: small things of a Session that live from one fact to another, each by its own id.
 *
 *   ask      raised ──▶ answered, until a turn begins that has seen it; withdrawn
 *   approval what an answer allowed for the rest of the Session
 *   signal   raised ──▶ consumed by the pass that names it
 *   note     written ──▶ changed … ──▶ dismissed
 *   command  started ──▶ ended
 *   revert   staged ──▶ applied ──▶ undone
 *   history  compartments, until others take their place or a revert withdraws them
 *   plan     planned ──▶ settled with its call
 *   file     the version that a call read or left last, of the newest `filesMax` files
 *
 * `marks` says which events a window needs to hold them: the store keeps these sequences, and
 * folding them gives the same items as folding the log.
 */
import type { Event, Fact, FactOf } from "../event.ts"
import type { Approved, AskAnswered, AskRaised } from "../fact/ask.ts"
import type { Compartment, NoteChanged, NoteWritten, SignalRaised } from "../fact/recall.ts"
import type { FileEffect } from "../fact/turn.ts"
import type { Todo } from "../fact/todo.ts"
import { filesMax, type FileVersion, knowFiles, namedFiles } from "./files.ts"

export interface Ask {
  readonly raised: AskRaised
  readonly answer: AskAnswered | null
  readonly answeredSeq: number | null
}

export interface SessionNote extends Omit<NoteWritten, "type"> {
  readonly state: NonNullable<NoteChanged["state"]>
  /** When it was written or changed last. */
  readonly changedSeq: number
}

/** Applied, it takes out the messages from `fromSeq` on that were there by then. */
export interface Revert {
  readonly staged: FactOf<"revert.staged">
  readonly appliedSeq: number | null
}

export interface Items {
  readonly asks: ReadonlyMap<string, Ask>
  /** What a person allowed for the rest of the Session, by the ask that they answered (PE1). */
  readonly approvals: ReadonlyMap<string, Approved>
  readonly signals: ReadonlyMap<string, SignalRaised>
  readonly notes: ReadonlyMap<string, SessionNote>
  readonly commands: ReadonlyMap<string, FactOf<"command.started">>
  readonly reverts: ReadonlyMap<string, Revert>
  readonly compartments: ReadonlyMap<string, Compartment>
  /** What open calls are about to do to files, by call (DR4). */
  readonly plans: ReadonlyMap<string, readonly FileEffect[]>
  /** Versions of files that this Session knows, by path. */
  readonly files: ReadonlyMap<string, FileVersion>
  /** The newest pass that executed what was waiting (PS5), 0 if none did. */
  readonly executedSeq: number
  /** Whether the model was told once that old output takes a third of its room (ND1). */
  readonly ceilingTold: boolean
  /** The newest input beside which the model was told of its notes (ND1). */
  readonly noteNudged: { readonly seq: number; readonly time: number }
  /** When each compartment was published. */
  readonly publishedSeqs: ReadonlyMap<string, number>
  /** The newest list of steps, and the settlement that holds it. */
  readonly todos: { readonly seq: number; readonly list: readonly Todo[] }
}

const none: ReadonlyMap<string, never> = new Map<string, never>()
export const emptyItems: Items = {
  asks: none,
  approvals: none,
  signals: none,
  notes: none,
  commands: none,
  reverts: none,
  compartments: none,
  plans: none,
  files: none,
  executedSeq: 0,
  ceilingTold: false,
  noteNudged: { seq: 0, time: 0 },
  publishedSeqs: none,
  todos: { seq: 0, list: [] },
}

/** Facts that are no item's leave the very object. */
export function advanceItems(items: Items, { seq, time, fact }: Pick<Event, "seq" | "time" | "fact">): Items {
  switch (fact.type) {
    case "ask.raised":
      return { ...items, asks: set(items.asks, fact.ask, { raised: fact, answer: null, answeredSeq: null }) }
    case "ask.answered":
      return answer(items, seq, fact)
    case "ask.withdrawn":
      return { ...items, asks: remove(items.asks, fact.ask) }
    case "turn.started":
      return endAnswered(items, fact.seenSeq)
    case "signal.raised":
      return { ...items, signals: set(items.signals, fact.signal, fact) }
    case "pass.applied":
      return applyToItems(items, seq, fact)
    case "note.written": {
      const { type: _, ...note } = fact
      return { ...items, notes: set(items.notes, fact.note, { ...note, state: "open", changedSeq: seq }) }
    }
    case "note.changed":
      return { ...items, notes: changeNote(items.notes, seq, fact) }
    case "command.started":
      return { ...items, commands: set(items.commands, fact.command, fact) }
    case "command.ended":
      return { ...items, commands: remove(items.commands, fact.command) }
    case "revert.staged":
      return { ...items, reverts: set(items.reverts, fact.revert, { staged: fact, appliedSeq: null }) }
    case "revert.applied": {
      const revert = items.reverts.get(fact.revert)
      const compartments = remove(items.compartments, ...fact.withdraws)
      const publishedSeqs = remove(items.publishedSeqs, ...fact.withdraws)
      if (revert === undefined) return { ...items, compartments, publishedSeqs }
      const reverts = set(items.reverts, fact.revert, { ...revert, appliedSeq: seq })
      return { ...items, reverts, compartments, publishedSeqs }
    }
    case "revert.undone":
      return { ...items, reverts: remove(items.reverts, fact.revert) }
    case "history.published": {
      const replaced = new Set(fact.replaces)
      const kept = [...items.compartments].filter(([id, one]) => !replaced.has(id) && !isWithin(one, fact))
      const added = fact.compartments.map((compartment) => [compartment.id, compartment] as const)
      const compartments = new Map([...kept, ...added])
      const fresh = new Set(added.map(([id]) => id))
      const publishedSeqs = new Map(
        [...compartments.keys()].map((id) => [id, fresh.has(id) ? seq : (items.publishedSeqs.get(id) ?? 0)]),
      )
      return { ...items, compartments, publishedSeqs }
    }
    case "prompt.promoted":
      return tellsOfNotes(fact) ? { ...items, noteNudged: { seq, time } } : items
    case "call.planned":
      return { ...items, plans: set(items.plans, fact.call, fact.effects) }
    case "call.settled":
      return settle(items, seq, fact)
    default:
      return items
  }
}

function applyToItems(items: Items, seq: number, fact: FactOf<"pass.applied">): Items {
  const executedSeq = executes(fact) ? Math.max(items.executedSeq, seq) : items.executedSeq
  const signals = remove(items.signals, ...fact.consumes)
  const same = signals === items.signals && executedSeq === items.executedSeq
  return same ? items : { ...items, signals, executedSeq }
}

/** A Fold always does; a Refresh where that, a flush or a forced pass is its reason. */
const executes = ({ pass, reason }: FactOf<"pass.applied">): boolean =>
  pass === "fold" || /^(?:execute_|flush|cut_(?!images))/.test(reason)

/** What a publication covers as a whole stands in it, whoever had published it (HB4). */
const isWithin = (one: Compartment, by: FactOf<"history.published">): boolean =>
  one.fromSeq >= by.fromSeq && one.toSeq <= by.toSeq

function answer(items: Items, seq: number, fact: AskAnswered): Items {
  const ask = items.asks.get(fact.ask)
  const asks =
    ask === undefined ? items.asks : set(items.asks, fact.ask, { ...ask, answer: fact, answeredSeq: seq })
  const approved = approvedBy(fact)
  const approvals = approved === null ? items.approvals : set(items.approvals, fact.ask, approved)
  return asks === items.asks && approvals === items.approvals ? items : { ...items, asks, approvals }
}

const approvedBy = ({ decision, scope, approves }: AskAnswered): Approved | null =>
  decision === "allow" && scope === "session" && approves !== undefined ? approves : null

function settle(items: Items, seq: number, fact: FactOf<"call.settled">): Items {
  const plans = remove(items.plans, fact.call)
  const files = knowFiles(items.files, seq, fact)
  const { todos: list } = fact
  const todos = list === undefined || seq < items.todos.seq ? items.todos : { seq, list }
  const ceilingTold = items.ceilingTold || tellsCeiling(fact)
  const same =
    plans === items.plans &&
    files === items.files &&
    todos === items.todos &&
    ceilingTold === items.ceilingTold
  return same ? items : { ...items, plans, files, todos, ceilingTold }
}

/** How the reminder of the ceiling begins, which comes once in a Session. */
export const ceilingReminder = '<reminder level="ceiling">'

const tellsCeiling = ({ added }: FactOf<"call.settled">): boolean =>
  added.some(({ kind, text }) => kind === "nudge" && text.startsWith(ceilingReminder))

const tellsOfNotes = ({ added }: FactOf<"prompt.promoted">): boolean =>
  added.some(({ kind }) => kind === "note")

function changeNote(notes: Items["notes"], seq: number, fact: NoteChanged): Items["notes"] {
  const note = notes.get(fact.note)
  if (note === undefined) return notes
  if (fact.state === "dismissed") return remove(notes, fact.note)
  const { text = note.text, state = note.state } = fact
  return set(notes, fact.note, { ...note, text, state, changedSeq: seq })
}

/** What a turn has not seen stays for the turn after it, so that its order with the turn does not matter. */
function endAnswered(items: Items, seenSeq: number): Items {
  const seen = [...items.asks.values()].filter(
    ({ answeredSeq }) => answeredSeq !== null && answeredSeq <= seenSeq,
  )
  return seen.length === 0
    ? items
    : { ...items, asks: remove(items.asks, ...seen.map(({ raised }) => raised.ask)) }
}

const set = <V>(map: ReadonlyMap<string, V>, key: string, value: V): ReadonlyMap<string, V> =>
  new Map(map).set(key, value)

function remove<V>(map: ReadonlyMap<string, V>, ...keys: readonly string[]): ReadonlyMap<string, V> {
  if (!keys.some((key) => map.has(key))) return map
  const rest = new Map(map)
  for (const key of keys) rest.delete(key)
  return rest
}

/** Whether an applied revert took the message out; undone, it is back. */
export const isReverted = ({ reverts }: Items, seq: number): boolean =>
  [...reverts.values()].some(
    ({ staged, appliedSeq }) => appliedSeq !== null && seq >= staged.fromSeq && seq < appliedSeq,
  )

/** Which marks an event leaves and ends: a mark keeps its event in every window until it is ended. */
export interface MarkChange {
  readonly marks: readonly { readonly kind: MarkKind; readonly id: string }[]
  readonly ends: readonly MarkEnd[]
  /** Marks of this kind are ended that lie below the newest so many. */
  readonly keeps?: { readonly kind: MarkKind; readonly count: number }
}

/** All marks of the kind, those of one id, or of each id whose second mark lies at or below a sequence. */
export type MarkEnd =
  | { readonly kind: MarkKind; readonly id: string | null }
  | { readonly kind: "ask"; readonly pairedBy: number }

export type MarkKind =
  | "ask"
  | "approval"
  | "signal"
  | "note"
  | "command"
  | "revert"
  | "history"
  | "pass"
  | "limit"
  | "plan"
  | "file"
  | "todo"
  | "ceiling"
  | "note-nudge"

const noMarks: MarkChange = { marks: [], ends: [] }

export function marksOf(fact: Fact): MarkChange {
  switch (fact.type) {
    case "ask.raised":
      return { marks: [{ kind: "ask", id: fact.ask }], ends: [] }
    case "ask.answered":
      return { marks: answerMarks(fact), ends: [] }
    case "ask.withdrawn":
      return { marks: [], ends: [{ kind: "ask", id: fact.ask }] }
    case "turn.started":
      return { marks: [], ends: [{ kind: "ask", pairedBy: fact.seenSeq }] }
    case "signal.raised":
      return { marks: [{ kind: "signal", id: fact.signal }], ends: [] }
    case "pass.applied":
      return {
        marks: [{ kind: "pass", id: "" }],
        ends: [
          ...(fact.pass === "fold" ? [{ kind: "pass", id: null } as const] : []),
          ...fact.consumes.map((id) => ({ kind: "signal", id }) as const),
        ],
      }
    case "note.written":
      return { marks: [{ kind: "note", id: fact.note }], ends: [] }
    case "note.changed":
      return fact.state === "dismissed"
        ? { marks: [], ends: [{ kind: "note", id: fact.note }] }
        : { marks: [{ kind: "note", id: fact.note }], ends: [] }
    case "command.started":
      return { marks: [{ kind: "command", id: fact.command }], ends: [] }
    case "command.ended":
      return { marks: [], ends: [{ kind: "command", id: fact.command }] }
    case "revert.staged":
      return { marks: [{ kind: "revert", id: fact.revert }], ends: [] }
    case "revert.applied": {
      // What it withdrew stays withdrawn when it is undone.
      const kind = fact.withdraws.length === 0 ? "revert" : "history"
      return { marks: [{ kind, id: fact.revert }], ends: [] }
    }
    case "revert.undone":
      return { marks: [], ends: [{ kind: "revert", id: fact.revert }] }
    case "history.published":
      // Its event is needed for as long as one of its compartments stands.
      return {
        marks: fact.compartments.map(({ id }) => ({ kind: "history", id }) as const),
        ends: fact.replaces.map((id) => ({ kind: "history", id }) as const),
      }
    case "limit.learned": {
      const id = `${fact.model.provider}/${fact.model.model}`
      return { marks: [{ kind: "limit", id }], ends: [{ kind: "limit", id }] }
    }
    case "prompt.promoted": {
      const told = tellsOfNotes(fact) ? [{ kind: "note-nudge", id: "" } as const] : []
      return { marks: told, ends: told }
    }
    case "call.planned":
      return { marks: [{ kind: "plan", id: fact.call }], ends: [] }
    case "call.settled":
      return settlementMarks(fact)
    default:
      return noMarks
  }
}

const answerMarks = (fact: AskAnswered): MarkChange["marks"] => [
  { kind: "ask", id: fact.ask },
  ...(approvedBy(fact) === null ? [] : [{ kind: "approval", id: fact.ask } as const]),
]

/** A file that a call took away is marked too: another file of an older settlement may keep that in the window. */
function settlementMarks(fact: FactOf<"call.settled">): MarkChange {
  const files = namedFiles(fact).map(([path]) => ({ kind: "file", id: path }) as const)
  const todos = fact.todos === undefined ? [] : [{ kind: "todo", id: "" } as const]
  const told = tellsCeiling(fact) ? [{ kind: "ceiling", id: "" } as const] : []
  const ends = [{ kind: "plan", id: fact.call } as const, ...files, ...todos]
  return files.length === 0
    ? { marks: [...todos, ...told], ends }
    : { marks: [...files, ...todos, ...told], ends, keeps: { kind: "file", count: filesMax } }
}
