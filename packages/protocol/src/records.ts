/**
 * Records by the names under which the OpenAPI document lists them.
 *
 * The names are given here and not in @holdfast/schema, whose shapes say what is stored: what a
 * record is called when it is sent must not count as a change of what is on disk.
 */
import { Schema } from "effect"
import * as bundle from "@holdfast/schema/bundle/import"
import * as ask from "@holdfast/schema/instance/ask"
import * as live from "@holdfast/schema/live"
import * as message from "@holdfast/schema/message"
import * as health from "@holdfast/schema/health"
import * as configuration from "@holdfast/schema/instance/configuration"
import * as provider from "@holdfast/schema/instance/provider"
import * as memory from "@holdfast/schema/memory/memory"
import * as workspace from "@holdfast/schema/memory/workspace"
import * as toldMemory from "@holdfast/schema/memory/told"
import * as location from "@holdfast/schema/location"
import * as model from "@holdfast/schema/model"
import * as planned from "@holdfast/schema/planned-request"
import * as probe from "@holdfast/schema/probe"
import * as prompt from "@holdfast/schema/prompt"
import * as ptyItem from "@holdfast/schema/pty/item"
import * as pty from "@holdfast/schema/pty/pty"
import * as shown from "@holdfast/schema/fact/public"
import * as result from "@holdfast/schema/run-result"
import * as dream from "@holdfast/schema/instance/dream"
import { DreamedTask as DreamedTaskShape } from "@holdfast/schema/memory/dream"
import * as embedding from "@holdfast/schema/search/embedding"
import * as search from "@holdfast/schema/search/found"
import * as session from "@holdfast/schema/session"
import * as turn from "@holdfast/schema/turn-record"
import * as window from "@holdfast/schema/instance/window"

const named = <S extends Schema.Top>(schema: S, identifier: string, description: string): S["Rebuild"] =>
  schema.annotate({ identifier, description })

export const Session = named(session.SessionInfo, "Session", "A Session, with its state as it is now.")

export const BundleImport = named(
  Schema.Struct({ ...bundle.BundleImport.fields, session: Session }),
  "BundleImport",
  "What became of a bundle that was imported.",
)

export const Ask = named(ask.Ask, "Ask", "Something that a Session waits for somebody to answer.")

export const AdmittedPrompt = named(
  prompt.AdmittedPrompt,
  "AdmittedPrompt",
  "A prompt that waits in the inbox.",
)

export const PromptReceipt = named(
  prompt.PromptReceipt,
  "PromptReceipt",
  "The prompt is on disk; `state` says whether the model got it already.",
)

export const BreakReceipt = named(
  window.BreakReceipt,
  "BreakReceipt",
  "What a request that changed what had been sent before kept, dropped and summed up, and what it cost.",
)

export const RebuildResult = named(
  window.RebuildResult,
  "RebuildResult",
  "What became of compartments that were to be made anew.",
)

export const RunResult = named(result.RunResult, "RunResult", "What became of the newest prompt.")

export const Message = named(
  Schema.Union([
    named(message.UserMessage, "UserMessage", "What somebody said."),
    named(shown.PublicAssistantMessage, "AssistantMessage", "The answer of one turn, part by part."),
    named(message.SystemMessage, "SystemMessage", "A fact that changed; shown on request only."),
    named(message.NoticeMessage, "NoticeMessage", "Words of the runtime, and nobody's."),
  ]),
  "Message",
  "One message of a Session.",
)

export const PlannedRequest = named(
  planned.PlannedRequest,
  "PlannedRequest",
  "What the model would be sent next, segment by segment.",
)

export const ProbeResult = named(
  probe.ProbeResult,
  "ProbeResult",
  "Whether the provider took a request that only asked so.",
)

export const TurnRecord = named(turn.TurnRecord, "TurnRecord", "One turn, with its row of the ledger.")

export const VerifiedTurn = named(
  turn.VerifiedTurn,
  "VerifiedTurn",
  "Whether the request of a turn, rebuilt from the log, is the one that was sent.",
)

export const SentRequest = named(turn.SentRequest, "SentRequest", "What a turn sent, rebuilt from the log.")

export const Model = named(model.ModelInfo, "Model", "A model that a turn can speak to.")

export const Location = named(
  location.Location,
  "Location",
  "A directory that Sessions may work in, and the project that it belongs to.",
)

export const FileEntry = named(
  location.FileEntry,
  "FileEntry",
  "A file, a directory, or something else in a directory of a Location.",
)

export const Provider = named(
  provider.ListedProvider,
  "Provider",
  "Somebody who serves models, and whether there is a key for them.",
)

export const ListedModel = named(
  provider.ListedModel,
  "ListedModel",
  "A model that can be used, with its limits, its prices and what it can do.",
)

export const Configuration = named(
  configuration.Configuration,
  "Configuration",
  "The settings in force and the places that they come from, without anything secret.",
)

export const SearchResult = named(
  Schema.Struct({
    ...search.SearchResult.fields,
    found: Schema.Array(named(search.FoundPlace, "FoundPlace", "A place of a Session where it was found.")),
    also: Schema.optionalKey(
      Schema.Array(named(search.FoundOther, "FoundOther", "A memory or a commit in which it was found.")),
    ),
  }),
  "SearchResult",
  "What was found, best first.",
)

const DreamedChange = named(
  dream.DreamedChange,
  "DreamedChange",
  "One thing that the dreamer changed, or would.",
)
const DreamedTask = named(DreamedTaskShape, "DreamedTask", "What became of one task of a run.")

export const DreamReport = named(
  Schema.Struct({
    ...dream.DreamReport.fields,
    changes: Schema.Array(DreamedChange),
    tasks: Schema.Array(DreamedTask),
  }),
  "DreamReport",
  "What a run of the dreamer changed, or would, and what it cost.",
)

export const DreamRun = named(
  Schema.Struct({ ...dream.DreamRun.fields, tasks: Schema.Array(DreamedTask) }),
  "DreamRun",
  "A run of the dreamer.",
)

export const DreamDetail = named(
  Schema.Struct({
    run: DreamRun,
    differences: Schema.Array(
      named(dream.DreamDifference, "DreamDifference", "One thing that a run of the dreamer changed."),
    ),
  }),
  "DreamDetail",
  "A run of the dreamer with every difference that it made.",
)

export const RevertedDream = named(dream.RevertedDream, "RevertedDream", "What is as it was before a run.")
export const Memory = named(
  memory.UsedMemory,
  "Memory",
  "A statement that holds for a project beyond one Session.",
)

const MemoryEvent = named(
  toldMemory.MemoryEvent,
  "MemoryEvent",
  "A change of a memory, and where it came from.",
)

export const MemoryDetail = named(
  Schema.Struct({ ...toldMemory.MemoryDetail.fields, memory: Memory, history: Schema.Array(MemoryEvent) }),
  "MemoryDetail",
  "A memory and how it came to be.",
)

export const ProjectInfo = named(toldMemory.ProjectInfo, "ProjectInfo", "Whose memory a directory has.")

export const Workspace = named(
  workspace.Workspace,
  "Workspace",
  "Projects whose Sessions see each other's memories of some categories.",
)

export const Note = named(toldMemory.Note, "Note", "A reminder of a Session or of a project.")

export const EmbeddingState = named(
  embedding.EmbeddingState,
  "EmbeddingState",
  "How far the vectors are by which search compares meaning.",
)

export const Health = named(health.Health, "Health", "Whether everything works, and if not, what does not.")

const Fact = named(
  Schema.Union(
    [...shown.publicFactShapes].map(([type, shape]) => named(shape, identifierOf(type), type)),
  ) as unknown as typeof shown.PublicFact,
  "Fact",
  "What happened; `type` says which of these it is.",
)

/** `session.created` is SessionCreated. */
function identifierOf(type: string): string {
  return type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

export const Event = named(
  Schema.Struct({ ...shown.PublicEvent.fields, fact: Fact }),
  "Event",
  "One durable event. `seq` counts from 1 in each Session, without gaps.",
)

export const DurableStreamEvent = Schema.Union([
  Event,
  named(
    shown.SessionDeleted,
    "SessionDeleted",
    "The last item of a stream whose Session was deleted; it has no sequence.",
  ),
])

export const LiveStreamEvent = named(
  live.LiveStreamEvent,
  "LiveEvent",
  "Something that happens right now; it is not stored and may be missed.",
)

export const Pty = named(pty.Pty, "Pty", "A terminal, and whether its program still runs.")

export const PtyItem = named(
  ptyItem.PtyItem,
  "PtyItem",
  "What a reader of a terminal gets; `data` is base64, and a cursor counts bytes since the start.",
)

export const PtyTicket = named(ptyItem.PtyTicket, "PtyTicket", "Lets one WebSocket in, once.")
