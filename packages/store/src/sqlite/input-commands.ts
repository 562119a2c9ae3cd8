/**
 * Commands of anybody: Sessions, prompts, moves, interrupts. They need no lease.
 *
 * Each runs inside a transaction of the driver and returns its outcome, with the sequence it
 * advanced its Session to, if it did.
 *
 *   SS1  a Session's id is its creator's: a repeat is compared with what was created
 *   PR2  the prompt id is unique in the whole store; a repeat is compared with what was admitted
 *   PR3  only pending input can be edited or cancelled
 *   DR3  an interrupt is stored only where somebody holds the Session; without a holder it only
 *        withdraws open asks. A repeat is stored again: the holder may have resumed in between
 *        without having written anything yet.
 */
import { isDeepStrictEqual } from "node:util"
import type { Fact, FactOf } from "@holdfast/schema/event"
import { liftFields } from "@holdfast/schema/fact/version"
import type { SessionId } from "@holdfast/schema/id"
import type { Delivery, PromptReceipt, PromptState } from "@holdfast/schema/prompt"
import { emptySummary } from "@holdfast/schema/state/summary"
import { admissionOf, bodyOf } from "../admission.ts"
import type {
  Admit,
  CancelPrompt,
  CreateSession,
  DeleteSession,
  EditPrompt,
  Interrupt,
  Lease,
  MoveSession,
  OutcomeOf,
  Command,
} from "../port.ts"
import type { SettleJob } from "../job.ts"
import { appendFacts } from "./append-facts.ts"
import { openAsks } from "./ask-marks.ts"
import { dropBlobsOf, putBlob } from "./blob.ts"
import type { Connection } from "./connection.ts"
import { grantLease, heldLease } from "./lease/row.ts"
import { admittedHash } from "./project.ts"
import { forgetSession } from "./rows/location.ts"
import { decodeSession, findSession, insertSession } from "./session-row.ts"
import type { KeyedSession } from "./session-row.ts"

/** `advanced` is null if the log of the Session did not grow; 0 says that it is gone. */
export interface Applied<C extends Command> {
  readonly outcome: OutcomeOf<C>
  readonly advanced: number | null
  /** A Session beside that of the command, which is gone with it. */
  readonly removed?: SessionId
}

/** Of a command that takes several transactions: unfinished until the last of them. */
export type Stepped<C extends Command> = Applied<C> | "unfinished"

interface PromptColumns {
  readonly session: number
  readonly prompt: PromptReceipt["prompt"]
  readonly admitted_seq: number
  readonly body_seq: number
  readonly delivery: Delivery
  readonly state: PromptState
  readonly message: string | null
  readonly text_hash: Uint8Array
}

const missing = { outcome: { kind: "no-session" }, advanced: null } as const
const noPrompt = { outcome: { kind: "no-prompt" }, advanced: null } as const

export function createSession(connection: Connection, command: CreateSession): Applied<CreateSession> {
  const known = findSession(connection, command.session)
  if (known !== undefined) {
    const created = createdFact(connection, known)
    const same = created !== null && isSameCreation(created, command.fact)
    return {
      outcome: same ? { kind: "repeated", row: decodeSession(known) } : { kind: "conflict" },
      advanced: null,
    }
  }
  const row = insertSession(connection, command.session, emptySummary)
  const { seq } = appendFacts(connection, row, command.time, [command.fact]).summary
  return { outcome: { kind: "created", seq }, advanced: seq }
}

/** What a Session was created as. The writer has no schema: it takes it as it was written. */
export function createdFact(connection: Connection, { key }: KeyedSession): FactOf<"session.created"> | null {
  const row = connection.get<{ version: number; data: string }>(
    "SELECT version, data FROM event WHERE session = ? AND seq = 1",
    key,
  )
  const fields = row === undefined ? null : liftFields("session.created", row.version, JSON.parse(row.data))
  return fields === null ? null : ({ type: "session.created", ...fields } as FactOf<"session.created">)
}

/** The project around a directory may have changed since; the directory is what was asked for. */
function isSameCreation(one: FactOf<"session.created">, other: FactOf<"session.created">): boolean {
  const { location, ...rest } = one
  const { location: otherLocation, ...otherRest } = other
  return location.directory === otherLocation.directory && isDeepStrictEqual(rest, otherRest)
}

export function deleteSession(connection: Connection, command: DeleteSession): Applied<DeleteSession> {
  const row = findSession(connection, command.session)
  if (row === undefined) return missing
  const lease = heldLease(connection, row)
  if (lease !== null) return { outcome: { kind: "held", lease }, advanced: null }
  removeSession(connection, row)
  return { outcome: { kind: "deleted" }, advanced: 0 }
}

function removeSession(connection: Connection, { key, id }: KeyedSession): void {
  forgetSession(connection, id)
  dropBlobsOf(connection, key)
  connection.run("DELETE FROM session WHERE key = ?", key)
}

/** Whoever settles a job first takes its Session away, so that nobody counts it again. */
export function settleJob(connection: Connection, command: SettleJob): Applied<SettleJob> {
  const job = findSession(connection, command.fact.job)
  if (job?.summary.kind !== "job" || job.summary.parent?.session !== command.session)
    return { outcome: { kind: "no-job" }, advanced: null }
  const lease = heldLease(connection, job)
  if (lease !== null) return { outcome: { kind: "held", lease }, advanced: null }
  removeSession(connection, job)
  const removed = job.id
  const parent = findSession(connection, command.session)
  if (parent === undefined) return { outcome: { kind: "settled", seq: null }, advanced: null, removed }
  const { seq } = appendFacts(connection, parent, command.time, [command.fact]).summary
  return { outcome: { kind: "settled", seq }, advanced: seq, removed }
}

export function admit(connection: Connection, blobs: string, command: Admit): Applied<Admit> {
  const row = findSession(connection, command.session)
  if (row === undefined) return missing
  const known = findPrompt(connection, command.prompt)
  if (known !== undefined) {
    const same =
      known.session === row.key &&
      known.delivery === command.delivery &&
      Buffer.compare(known.text_hash, admittedHash(command)) === 0
    if (!same) return { outcome: { kind: "conflict" }, advanced: null }
    const receipt = receiptOf(command.session, known)
    const lease = receipt.state === "pending" ? leaseFor(connection, row, command) : null
    return {
      outcome: { kind: "admitted", seq: row.summary.seq, receipt, repeated: true, lease },
      advanced: null,
    }
  }
  const { prompt, delivery } = command
  for (const blob of command.blobs ?? []) putBlob(connection, blobs, row.key, blob)
  const facts = [...declinedAsks(connection, row, command), admissionOf(command)]
  const { seq } = appendFacts(connection, row, command.time, facts).summary
  const receipt = { session: row.id, prompt, admittedSeq: seq, delivery, state: "pending" } as const
  const lease = leaseFor(connection, row, command)
  return {
    outcome: { kind: "admitted", seq, receipt, repeated: false, lease, ...withAsks(facts) },
    advanced: seq,
  }
}

/** What the command itself does not say of its facts. */
const withAsks = (facts: readonly Fact[]) =>
  facts.some(({ type }) => type.startsWith("ask.")) ? { facts: facts.map(({ type }) => type) } : {}

/** PE6: what is sent as the answer declines all that is asked; the words stay the user's own. */
const declinedAsks = (connection: Connection, row: KeyedSession, { declines }: Admit): readonly Fact[] =>
  declines !== true
    ? []
    : openAsks(connection, row).map(({ ask }) => ({
        type: "ask.answered",
        ask,
        decision: "decline",
        scope: "once",
        text: null,
        by: "person",
      }))

const leaseFor = (connection: Connection, row: KeyedSession, { leads }: Admit): Lease | null =>
  leads === undefined || heldLease(connection, row) !== null ? null : grantLease(connection, row, leads)

export function editPrompt(connection: Connection, command: EditPrompt): Applied<EditPrompt> {
  const found = pendingPrompt(connection, command)
  if (found.kind !== "pending") return found.refusal
  const body = bodyOf(command.text, imagesAt(connection, found.row.key, found.prompt.body_seq))
  const fact: Fact = { type: "prompt.edited", prompt: command.prompt, ...body }
  const { seq } = appendFacts(connection, found.row, command.time, [fact]).summary
  return { outcome: { kind: "edited", receipt: receiptOf(command.session, found.prompt) }, advanced: seq }
}

/** An edit is another text for the same images. The writer has no schema: it takes them as they were written. */
function imagesAt(connection: Connection, session: number, seq: number): Admit["images"] {
  const row = connection.get<{ images: string | null }>(
    "SELECT data ->> '$.images' AS images FROM event WHERE session = ? AND seq = ?",
    session,
    seq,
  )
  return row?.images ? (JSON.parse(row.images) as Admit["images"]) : undefined
}

export function cancelPrompt(connection: Connection, command: CancelPrompt): Applied<CancelPrompt> {
  const found = pendingPrompt(connection, command)
  if (found.kind !== "pending") return found.refusal
  const fact: Fact = { type: "prompt.cancelled", prompt: command.prompt }
  const { seq } = appendFacts(connection, found.row, command.time, [fact]).summary
  const receipt = { ...receiptOf(command.session, found.prompt), state: "cancelled" } as const
  return { outcome: { kind: "cancelled", receipt }, advanced: seq }
}

export function moveSession(connection: Connection, command: MoveSession): Applied<MoveSession> {
  const row = findSession(connection, command.session)
  if (row === undefined) return missing
  const { location } = command
  const there = isDeepStrictEqual(row.summary.location, location)
  if (there) return { outcome: { kind: "unmoved" }, advanced: null }
  const withdrawn = withdrawAsks(connection, row, "moved")
  const facts: readonly Fact[] = [...withdrawn, { type: "session.moved", location }]
  const { seq } = appendFacts(connection, row, command.time, facts).summary
  return { outcome: { kind: "moved", seq, ...withAsks(facts) }, advanced: seq }
}

export function interrupt(connection: Connection, command: Interrupt): Applied<Interrupt> {
  const row = findSession(connection, command.session)
  if (row === undefined) return missing
  const held = heldLease(connection, row) !== null || runsCommand(connection, row)
  const withdrawn = withdrawAsks(connection, row, "interrupted")
  if (!held && withdrawn.length === 0) return { outcome: { kind: "no-holder" }, advanced: null }
  const stop: readonly Fact[] = held ? [{ type: "session.interrupted" }] : []
  const facts = [...stop, ...withdrawn]
  const { seq } = appendFacts(connection, row, command.time, facts).summary
  return { outcome: { kind: "interrupted", seq, ...withAsks(facts) }, advanced: seq }
}

/** Whether this background command, or any of the Session, is on record as running. */
export function runsCommand(connection: Connection, { key }: KeyedSession, command?: string): boolean {
  const sql = "SELECT 1 FROM mark WHERE session = ? AND kind = 'command'"
  const found =
    command === undefined ? connection.get(sql, key) : connection.get(`${sql} AND id = ?`, key, command)
  return found !== undefined
}

/** PE6: open asks are withdrawn, and calls that waited for one settle without having run. */
function withdrawAsks(
  connection: Connection,
  row: KeyedSession,
  cause: FactOf<"ask.withdrawn">["cause"],
): readonly Fact[] {
  return openAsks(connection, row).flatMap(({ ask, subject }): readonly Fact[] => {
    const withdrawn: Fact = { type: "ask.withdrawn", ask, cause }
    if (subject.kind !== "call" || !isOpenCall(connection, row, subject)) return [withdrawn]
    const { turn, message, call } = subject
    return [withdrawn, { type: "call.settled", turn, message, call, ...neverAnswered }]
  })
}

const isOpenCall = (
  connection: Connection,
  { key }: KeyedSession,
  { turn, call }: { readonly turn: string; readonly call: string },
): boolean =>
  connection.get(
    `SELECT 1 FROM turn JOIN part ON part.session = turn.session AND message_seq = started_seq
     WHERE turn.session = ? AND turn.id = ? AND call = ? AND part.settled_seq IS NULL`,
    key,
    turn,
    call,
  ) !== undefined

const neverAnswered = {
  outcome: {
    state: "interrupted",
    output: "[interrupted before it was allowed]",
    truncated: null,
    errorCode: "interrupted",
  },
  effects: [],
  added: [],
  tokens: 0,
} as const

export const findPrompt = (connection: Connection, prompt: string): PromptColumns | undefined =>
  connection.get<PromptColumns>("SELECT * FROM inbox WHERE prompt = ?", prompt)

export const receiptOf = (session: SessionId, row: PromptColumns): PromptReceipt => ({
  session,
  prompt: row.prompt,
  admittedSeq: row.admitted_seq,
  delivery: row.delivery,
  state: row.state,
})

type PendingSearch =
  | { readonly kind: "pending"; readonly row: KeyedSession; readonly prompt: PromptColumns }
  | { readonly kind: "refused"; readonly refusal: typeof missing | typeof noPrompt | NotPending }

interface NotPending {
  readonly outcome: { readonly kind: "not-pending"; readonly state: "promoted" | "cancelled" }
  readonly advanced: null
}

function pendingPrompt(connection: Connection, command: EditPrompt | CancelPrompt): PendingSearch {
  const row = findSession(connection, command.session)
  if (row === undefined) return { kind: "refused", refusal: missing }
  const prompt = findPrompt(connection, command.prompt)
  if (prompt === undefined || prompt.session !== row.key) return { kind: "refused", refusal: noPrompt }
  if (prompt.state === "pending") return { kind: "pending", row, prompt }
  return {
    kind: "refused",
    refusal: { outcome: { kind: "not-pending", state: prompt.state }, advanced: null },
  }
}
