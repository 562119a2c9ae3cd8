/**
 * From the text that the registry received to what the model sees of it (TO1 to TO4, TO8).
 *
 * A text within the limits stays as it is. Any other is stored whole before it is shortened, so that
 * the preview can say where it is; where that fails, the preview and the record say that it is lost.
 */
import { Effect } from "effect"
import type { OutputFileRef } from "@holdfast/schema/message"
import {
  type BoundedOutput,
  boundOutput,
  boundWithEnding,
  countLines,
  fitsLimits,
  type Omission,
  type OutputLimits,
  roomAbove,
  truncation,
} from "../bound.ts"
import type { OutputSink } from "../output-sink.ts"
import type { OutputFileEnd } from "./output-file.ts"
import type { OutputFiles } from "./output-store.ts"

export interface ReceivedText {
  readonly text: string
  /** What its maker left out before. */
  readonly omitted?: Omission | undefined
  /** Where `text` is the live output, what stands behind it; else undefined. */
  readonly afterOutput?: string | undefined
  /** A shorter form by its maker. */
  readonly preview?: ((limits: OutputLimits) => string) | undefined
  /** A last line of the preview. */
  readonly ending?: string
}

export interface ShownText extends BoundedOutput {
  readonly outputFile?: OutputFileRef
  readonly lossy?: true
}

export const showBounded = Effect.fnUntraced(function* (
  received: ReceivedText,
  output: OutputSink | null,
  limits: OutputLimits,
  files: OutputFiles | undefined,
): Effect.fn.Return<ShownText> {
  const { text, ending } = received
  if (fitsLimits(text, ending === undefined ? limits : roomAbove(ending, limits))) {
    yield* discardLive(output)
    return shorten(received, limits, "")
  }
  if (files === undefined) return shorten(received, limits, "")
  const { path, whole, end } = yield* store(received, output, files)
  if (end.kind === "failed") {
    yield* Effect.logWarning(`The complete output of a call could not be stored in ${path}: ${end.cause}.`)
    return { ...shorten(received, limits, "; the rest could not be stored"), lossy: true }
  }
  const complete = whole && end.whole
  const said = complete ? "the complete output is" : "what was kept of the output, not all of it, is"
  const bounded = shorten(received, limits, `; ${said} in the file ${path}`)
  return { ...bounded, outputFile: { path, bytes: end.bytes, complete } }
})

interface Stored {
  readonly path: string
  /** Whether the maker of the text had left nothing out. */
  readonly whole: boolean
  readonly end: OutputFileEnd
}

const store = (
  { text, afterOutput, omitted }: ReceivedText,
  output: OutputSink | null,
  files: OutputFiles,
): Effect.Effect<Stored> =>
  Effect.promise(async () => {
    const live = output?.file() ?? null
    if (live !== null && afterOutput !== undefined) {
      live.write(afterOutput)
      return { path: live.path, whole: true, end: await live.end() }
    }
    await live?.discard()
    const file = files.open()
    file.write(text)
    const whole = omitted === undefined || (omitted.lines <= 0 && omitted.bytes <= 0)
    return { path: file.path, whole, end: await file.end() }
  })

/** The result is another text than the live output, which nobody asks for any more. */
function discardLive(output: OutputSink | null): Effect.Effect<void> {
  const live = output?.file() ?? null
  return live === null ? Effect.void : Effect.promise(() => live.discard())
}

function shorten(received: ReceivedText, limits: OutputLimits, note: string): BoundedOutput {
  const { text, omitted, ending, preview } = received
  if (ending !== undefined) return boundWithEnding(text, ending, limits, omitted, note)
  if (preview === undefined || fitsLimits(text, limits)) return boundOutput(text, limits, omitted, note)
  const total = measure(text)
  const line = `[shortened from ${total.bytes} bytes${note}]`
  const room = roomAbove(line, limits)
  const shown = boundOutput(preview(room), room).text
  return { text: `${shown}\n${line}`, truncated: truncation(total, measure(shown)) }
}

const measure = (text: string): Omission => ({ lines: countLines(text), bytes: Buffer.byteLength(text) })
