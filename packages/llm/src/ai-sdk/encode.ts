/**
 * Segments to the blocks of an AI SDK call (TU1, LL1).
 *
 * The body is the call itself as JSON: settings, tools, prompt. It is hashed, rebuilt and shown like
 * that of any wire; what the model object makes of it on its way to a provider is not seen here.
 */
import { encodedOf } from "../blocks.ts"
import { listNamed, makeBodyWriter, placeRequest } from "../request/body.ts"
import { aiSdkImages } from "../image/rules.ts"
import { seenBy } from "../image/sight.ts"
import { keepPrompts, keepTools, replayTag } from "../request/lowering.ts"
import type { Segments, Target } from "../segments.ts"
import type { Block, Encoded, PlacedRequest } from "../wire.ts"
import { lowerSaid } from "./entry.ts"
import { systemBlock, toolBlock } from "./message-shape.ts"
import { paramsOf } from "./params.ts"

/** Changes whenever the same Segments would give other bytes (TU1). */
export const encoderVersion = "ai-sdk/1"

export function encode(segments: Segments, target: Target): Encoded {
  const key = { tag: replayTag(target), systemRole: target.options.traits.systemRole === true }
  const blocks: Block[] = []
  blocks.push(...segments.tools.map((tool) => toolOnce(tool)), ...promptBlocks(segments))
  for (const said of lowerSaid(seenBy(target, aiSdkImages, segments), key)) blocks.push(...said)
  return encodedOf(blocks, paramsOf(target, segments.tools.length > 0))
}

/** Nothing is marked: where a cache begins is for the model object to say. */
export const place = (encoded: Encoded, _target: Target, _previousBlocks: number): PlacedRequest =>
  placeRequest(encoded, { markers: [] }, encoderVersion, writeBody)

const toolOnce = keepTools(toolBlock)
const promptBlocks = keepPrompts((segment, text) => systemBlock(segment, null, text))

const writeBody = makeBodyWriter({ tools: listNamed("tools"), messages: listNamed("prompt") })
