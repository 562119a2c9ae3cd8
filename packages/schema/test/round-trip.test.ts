/** Every durable record survives a trip through JSON text, as the store and the wire make it. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as context from "../src/context.ts"
import * as error from "../src/error.ts"
import * as event from "../src/event.ts"
import * as id from "../src/id.ts"
import * as location from "../src/location.ts"
import * as message from "../src/message.ts"
import * as model from "../src/model.ts"
import * as prompt from "../src/prompt.ts"
import * as shown from "../src/fact/public.ts"
import * as session from "../src/session.ts"
import * as turn from "../src/turn.ts"

type Record = Schema.Codec<unknown, unknown>

const records = {
  SessionId: id.SessionId,
  MessageId: id.MessageId,
  TurnId: id.TurnId,
  CallId: id.CallId,
  PromptId: id.PromptId,
  NoticeId: id.NoticeId,
  AskId: id.AskId,
  SignalId: id.SignalId,
  Seq: id.Seq,
  ContextSnapshot: context.ContextSnapshot,
  SnapshotChanges: context.SnapshotChanges,
  Location: location.Location,
  ModelRef: model.ModelRef,
  Usage: model.Usage,
  Price: model.Price,
  AdmittedPrompt: prompt.AdmittedPrompt,
  PromptReceipt: prompt.PromptReceipt,
  SessionInfo: session.SessionInfo,
  LedgerRow: turn.LedgerRow,
  RequestRecord: turn.RequestRecord,
  UserMessage: message.UserMessage,
  AssistantMessage: message.AssistantMessage,
  SystemMessage: message.SystemMessage,
  NoticeMessage: message.NoticeMessage,
  Message: message.Message,
  Part: message.Part,
  RecordedPart: message.RecordedPart,
  CallOutcome: message.CallOutcome,
  Event: event.Event,
  PublicEvent: shown.PublicEvent,
  PublicMessage: shown.PublicMessage,
} satisfies { readonly [name: string]: Record }

const failures = {
  SessionNotFound: error.SessionNotFound,
  SessionConflict: error.SessionConflict,
  MessageNotFound: error.MessageNotFound,
  MessageUnsettled: error.MessageUnsettled,
  TurnNotFound: error.TurnNotFound,
  DreamNotFound: error.DreamNotFound,
  PromptNotFound: error.PromptNotFound,
  PromptConflict: error.PromptConflict,
  PromptNotPending: error.PromptNotPending,
  PromptRefused: error.PromptRefused,
  AskNotOpen: error.AskNotOpen,
  AnswerRefused: error.AnswerRefused,
  RuleInvalid: error.RuleInvalid,
  ImageNotFound: error.ImageNotFound,
  InvalidId: error.InvalidId,
  InvalidCursor: error.InvalidCursor,
  InvalidRequest: error.InvalidRequest,
  LocationMissing: error.LocationMissing,
  LocationUnknown: error.LocationUnknown,
  PathOutside: error.PathOutside,
  PathNotFound: error.PathNotFound,
  PathRefused: error.PathRefused,
  ModelNotFound: error.ModelNotFound,
  AgentNotFound: error.AgentNotFound,
  NothingOwed: error.NothingOwed,
  ConfigurationInvalid: error.ConfigurationInvalid,
  PtyNotFound: error.PtyNotFound,
  MemoryNotFound: error.MemoryNotFound,
  MemoryRefused: error.MemoryRefused,
  WorkspaceNotFound: error.WorkspaceNotFound,
  WorkspaceRefused: error.WorkspaceRefused,
  NoteNotFound: error.NoteNotFound,
  PtyRefused: error.PtyRefused,
  PtyEnded: error.PtyEnded,
  PtyUnavailable: error.PtyUnavailable,
  StoreFailure: error.StoreFailure,
  LeaseLost: error.LeaseLost,
  DrainInterrupted: error.DrainInterrupted,
} satisfies { readonly [K in error.HoldfastFailure["_tag"]]: Record }

function throughText(schema: Record, value: unknown): unknown {
  const text = JSON.stringify(Schema.encodeSync(schema)(value))
  return Schema.decodeUnknownSync(schema)(JSON.parse(text))
}

const runs = { arbitrary: { runs: 50, seed: 7 } }

/** -0 is written as 0; nothing here tells them apart. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("records", () => {
  for (const [name, schema] of Object.entries(records) as readonly [string, Record][]) {
    it.prop(
      `${name} survives JSON text`,
      { value: schema },
      ({ value }) => {
        expect(throughText(schema, value)).toEqual(plain(value))
      },
      runs,
    )
  }
  for (const schema of event.Fact.members as readonly Record[]) {
    const name = String((schema as unknown as { fields: { type: { literal: string } } }).fields.type.literal)
    it.prop(
      `${name} survives JSON text`,
      { value: schema },
      ({ value }) => {
        expect(throughText(schema, value)).toEqual(plain(value))
        expect(throughText(event.Fact, value)).toEqual(plain(value))
      },
      runs,
    )
  }
})

describe("failures", () => {
  for (const [name, schema] of Object.entries(failures) as readonly [string, Record][]) {
    it.prop(
      `${name} survives JSON text`,
      { value: schema },
      ({ value }) => {
        const back = throughText(schema, value) as Error
        expect(plain(Schema.encodeSync(schema)(back))).toEqual(plain(Schema.encodeSync(schema)(value)))
        expect([back instanceof Error, (back as Error & { _tag: string })._tag]).toEqual([true, name])
      },
      runs,
    )
  }
  it("a store failure says whether to try again", () => {
    const fields = { message: "m", outcomeUnknown: false, detail: "d" }
    const retryable = error.StoreFailureCode.literals.filter(
      (code) => new error.StoreFailure({ ...fields, code }).retryable,
    )
    expect(retryable).toEqual(["busy", "full", "unavailable"])
  })
})
