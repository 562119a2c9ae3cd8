/**
 * Contents of the files that a prompt names: read when it is admitted, stored with it, and settled in
 * its turn (TL6). So a prompt that waits shows what its author saw, not what became of it meanwhile.
 *
 *   the rules allow it ──▶ read at once, by the tool itself: bounded and masked like any call
 *   anything else      ──▶ stays a call, which its turn asks for, declines or makes (PE1)
 *
 * What cannot be read at once stays a call, too: its turn says why. A blob that is gone or of another
 * shape is read anew, so that its shape needs no version.
 */
import { hash } from "node:crypto"
import { Effect, Option, Schema } from "effect"
import { imageBytesShownMax } from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import { SeenFile } from "@holdfast/schema/fact/turn"
import type { SessionId } from "@holdfast/schema/id"
import { CallOutcome } from "@holdfast/schema/message"
import type { AdmittedCall, PromptCall } from "@holdfast/schema/prompt"
import type { SessionState } from "@holdfast/schema/state/state"
import type { Admit, BlobWrite, Store } from "@holdfast/store/port"
import { findImage } from "../../media/find.ts"
import type { Settlement } from "../../tools/index.ts"
import type { SettledCall } from "../answer.ts"
import { permittedBy } from "../lead.ts"
import type { RuntimePorts, Sample } from "../ports.ts"
import { outcomeOf } from "../settlement.ts"

/** A file that has not been read by then is read in the turn. */
const readMsMax = 5_000
const readsTogetherMax = 4
/** Of one prompt, together. */
const contentBytesMax = imageBytesShownMax

const Content = Schema.Struct({ outcome: CallOutcome, seen: Schema.Array(SeenFile) })
const encodeContent = Schema.encodeSync(Schema.fromJsonString(Content))
const decodeContent = Schema.decodeUnknownOption(Schema.fromJsonString(Content))

/** The calls as they are admitted, and what was read for them. */
export const readContents = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  session: SessionId,
  given: readonly PromptCall[],
): Effect.fn.Return<Required<Pick<Admit, "calls" | "blobs">>> {
  const calls: AdmittedCall[] = given.map(({ tool, argument }) => ({ tool, argument }))
  const blobs: BlobWrite[] = []
  if (!calls.some(({ tool }) => tool === "read")) return { calls, blobs }
  // What cannot be looked at now is left to the turn: the prompt is admitted all the same (PR1).
  const window = yield* Effect.orElseSucceed(ports.store.window(session), () => null)
  if (window === null) return { calls, blobs }
  const { location, agent } = window.state.summary
  const reading: Reading = {
    ports,
    session,
    state: window.state,
    sample: yield* ports.sample(location, agent),
  }
  const contents = yield* Effect.forEach(given, (call) => readNow(reading, call), {
    concurrency: readsTogetherMax,
  })
  let bytes = 0
  contents.forEach((content, at) => {
    const call = calls[at]
    if (content === null || call === undefined) return
    bytes += content.blobs.reduce((sum, blob) => sum + blob.bytes.byteLength, 0)
    if (bytes > contentBytesMax) return
    calls[at] = { ...call, content: { kind: content.kind, hash: content.hash } }
    blobs.push(...content.blobs)
  })
  return { calls, blobs }
})

/** What was stored for a call, or null where it is still to be made. */
export const storedContent = (
  store: Store,
  { content }: AdmittedCall,
): Effect.Effect<SettledCall | null, StoreFailure> =>
  content === undefined
    ? Effect.succeed(null)
    : Effect.map(store.blob(content.hash), (bytes) =>
        bytes === null ? null : Option.getOrNull(decodeContent(new TextDecoder().decode(bytes))),
      )

interface Reading {
  readonly ports: RuntimePorts
  readonly session: SessionId
  readonly state: SessionState
  readonly sample: Sample
}

type Kind = NonNullable<AdmittedCall["content"]>["kind"]

interface ReadContent {
  readonly kind: Kind
  readonly hash: string
  readonly blobs: readonly BlobWrite[]
}

const readNow = Effect.fnUntraced(function* (
  { ports, session, state, sample }: Reading,
  { tool: name, argument }: PromptCall,
): Effect.fn.Return<ReadContent | null> {
  const { tools, authorise, mayTouch, obstacle } = sample
  const tool = tools.get(name)
  if (name !== "read" || obstacle !== undefined || tool?.readOnly !== true) return null
  const permitted = permittedBy(state)
  const input = { path: argument }
  const verdict = yield* (
    authorise?.({ name, input, ...permitted, granted: [] }) ??
      Effect.succeed({ kind: "allow" as const, paths: undefined })
  )
  if (verdict.kind !== "allow") return null
  const context = {
    ...permitted.location,
    ...(verdict.paths && { judged: verdict.paths }),
    image: (handle: string) => Effect.orElseSucceed(findImage(ports.store, session, handle), () => null),
    ...mayTouch?.(permitted),
    masks: ports.masks,
    outputs: ports.outputs?.of(session),
  }
  const settlement = yield* tools.start({ callId: ports.newId("call"), name, input }, context).pipe(
    Effect.flatMap((running) => running.await),
    Effect.scoped,
    Effect.timeoutOption(readMsMax),
  )
  return Option.isSome(settlement) && settlement.value.state === "done" ? contentOf(settlement.value) : null
})

function contentOf(settlement: Settlement): ReadContent {
  const { images = [], files } = settlement
  const text = encodeContent({ outcome: outcomeOf(settlement), seen: files?.seen ?? [] })
  const own: BlobWrite = { hash: hash("sha256", text), bytes: new TextEncoder().encode(text) }
  const shown = images.map(({ media, bytes }) => ({ hash: media.hash, bytes }))
  return { kind: kindOf(settlement), hash: own.hash, blobs: [own, ...shown] }
}

function kindOf({ images = [], structured }: Settlement): Kind {
  if (images.length > 0) return "image"
  return Schema.is(Listing)(structured) ? "listing" : "text"
}

const Listing = Schema.Struct({ kind: Schema.Literal("listing") })
