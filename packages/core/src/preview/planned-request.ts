/** The planned request as a surface shows it, from the plan of a boundary (PG3). Pure. */
import type { Block } from "@holdfast/llm/wire"
import { shownTiers } from "@holdfast/recall"
import type { PlannedRequest, RequestBlock, RequestSegment } from "@holdfast/schema/planned-request"
import type { SessionState } from "@holdfast/schema/state/state"
import type { Summary } from "@holdfast/schema/state/summary"
import type { SegmentName } from "@holdfast/schema/turn"
import type { Selection } from "../session/request/request.ts"

/** What the segments are told from. */
export interface SegmentView {
  /** With what the boundary would promote and say. */
  readonly state: SessionState
  readonly selection: Selection
  readonly blocks: readonly Block[]
  /** What the provider would count for so many tokens from the start. */
  readonly counted: (tokensEstimated: number) => number
  /** Tokens from the start that the provider should find in its cache. */
  readonly cacheExpected: number
  readonly promoted: number
  /** How many are shown. */
  readonly images: number
  /** Whether each block is told with what it says. */
  readonly content: boolean
}

export function describeSegments(view: SegmentView): readonly RequestSegment[] {
  const segments: { name: SegmentName; tokens: number; tokensCached: number; blocks: RequestBlock[] }[] = []
  let position = 0
  for (const block of view.blocks) {
    const before = view.counted(position)
    position += block.tokens
    // From the whole down, so that blocks add up to segments, and these to the request.
    const tokens = view.counted(position) - before
    let segment = segments.at(-1)
    if (segment?.name !== block.segment) {
      segment = { name: block.segment, tokens: 0, tokensCached: 0, blocks: [] }
      segments.push(segment)
    }
    segment.tokens += tokens
    segment.tokensCached += position <= view.cacheExpected ? tokens : 0
    segment.blocks.push({
      role: block.role,
      kind: block.kind,
      tokens,
      hash: block.hash,
      ...(view.content && { content: block.json }),
    })
  }
  return segments.map((segment) => ({ ...segment, ...explain[segment.name](view) }))
}

type Explanation = Pick<RequestSegment, "source" | "why">

const explain: Record<SegmentName, (view: SegmentView) => Explanation> = {
  params: () => ({ source: "model settings", why: "Says how the model is to answer." }),
  tools: ({ selection }) => ({
    source: plural(selection.tools.length, "tool definition"),
    why: "The model may call these tools.",
  }),
  system: ({ state }) => ({
    source: Object.keys(state.epoch?.snapshot ?? {}).join(", "),
    why: `Unchanged since event ${state.epoch?.startedSeq ?? 0} (Epoch).`,
  }),
  agent: () => ({ source: "agent prompt", why: "Says how the selected agent works." }),
  "history-baseline": ({ state }) => ({
    source: compartmentsText(state),
    why: "Stands for messages not shown.",
  }),
  "history-delta": () => ({ source: "folded history", why: "What came since that was frozen." }),
  tail: ({ state, promoted, images }) => ({
    source: contents(state.messages, images),
    why:
      promoted === 0
        ? "What was said and done so far."
        : `What was said, and ${plural(promoted, "pending input")}.`,
  }),
}

/** Which parts of the history are shown, and how full: tier 1 is the fullest. */
function compartmentsText({ frozen: { slots } }: SessionState): string {
  const shown = shownTiers(slots)
  const parts = shown.map(({ id, tier }) => `${id} in tier ${tier}`).join(", ")
  return `${plural(shown.length, "compartment")}${parts === "" ? "" : `: ${parts}`}`
}

function contents(messages: SessionState["messages"], images: number): string {
  const quarantined = countQuarantined(messages)
  return [
    plural(messages.length, "message"),
    ...(images === 0 ? [] : [plural(images, "image")]),
    ...(quarantined === 0 ? [] : [`${quarantined} quarantined`]),
  ].join(", ")
}

/** Messages that are taken out of what models read. */
export const countQuarantined = (messages: SessionState["messages"]): number =>
  messages.filter((message) => message.kind !== "system" && message.quarantined !== undefined).length

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** What the ledger says beside the request: sums that the fold keeps. */
export const describeLedger = ({
  lastBreak,
  lastCost,
  lastAccuracy,
  cost,
  accuracy,
}: Summary): Pick<PlannedRequest, "lastBreak" | "cost"> => ({
  lastBreak,
  cost: { lastTurn: lastCost, session: cost, accuracy: { lastTurn: lastAccuracy, session: accuracy } },
})
