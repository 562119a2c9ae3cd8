/**
 * A Session as a page for people, in Markdown or HTML (ST4): its conversation, in order.
 *
 * System messages and reasoning only on request (EP11). Every text is masked, whoever wrote it, since a
 * page is made to be passed on (AU1), and what would steer a terminal or turn text around is made visible.
 */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Message } from "@holdfast/schema/message"
import type { SessionInfo } from "@holdfast/schema/session"
import { visible } from "../../markdown/visible.ts"
import type { RuntimePorts } from "../../session/ports.ts"
import { htmlPage } from "./html.ts"
import { markdownPage } from "./markdown.ts"

export interface PageOptions {
  readonly format: "markdown" | "html"
  readonly system?: boolean
  readonly reasoning?: boolean
}

/** One kind of page: how its beginning, a section, and its end are written. Texts come masked and visible. */
export interface PageForm {
  readonly begin: (title: string, facts: readonly (readonly [name: string, value: string])[]) => string
  readonly section: (section: Section) => string
  readonly end: string
}

export type Block =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thought"; readonly text: string }
  | {
      readonly kind: "call"
      readonly name: string
      readonly state: string
      readonly input: string
      readonly output: string | null
    }
  | {
      readonly kind: "image"
      readonly label: string
      readonly mediaType: string
      /** Null where they are gone. */
      readonly bytes: Uint8Array | null
    }

export interface Section {
  readonly speaker: "You" | "Assistant" | "System" | "Notice"
  readonly blocks: readonly Block[]
}

const forms = { markdown: markdownPage, html: htmlPage } as const

const pageLength = 100

export async function* writePage(
  ports: Pick<RuntimePorts, "store" | "masks">,
  session: SessionInfo,
  through: number,
  options: PageOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const form = forms[options.format]
  const shown = (text: string): string => visible(ports.masks.text(text))
  yield Buffer.from(
    form.begin(
      shown(session.title ?? "Untitled Session"),
      factsOf(session).map(([name, value]) => [name, shown(value)]),
    ),
  )
  for (let after = 0; ;) {
    const list = {
      afterSeq: after,
      beforeSeq: through + 1,
      limit: pageLength,
      system: options.system === true,
    }
    const found = await Effect.runPromise(forward(ports, session, list))
    for (const message of found) {
      const blocks: Block[] = []
      for (const block of blocksOf(message, options)) blocks.push(await filled(ports, block, shown))
      if (blocks.length > 0) yield Buffer.from(form.section({ speaker: speakers[message.kind], blocks }))
    }
    const last = found.at(-1)
    if (last === undefined) break
    after = last.seq
  }
  yield Buffer.from(form.end)
}

/** `beforeSeq` would give the last of a stretch; here the first are wanted. */
const forward = (
  { store }: Pick<RuntimePorts, "store">,
  { id }: SessionInfo,
  list: {
    readonly afterSeq: number
    readonly beforeSeq: number
    readonly limit: number
    readonly system: boolean
  },
): Effect.Effect<readonly Message[], StoreFailure> => {
  const { beforeSeq, ...rest } = list
  return Effect.map(store.messages(id, rest), (found) => found.filter(({ seq }) => seq < beforeSeq))
}

const speakers = { user: "You", assistant: "Assistant", system: "System", notice: "Notice" } as const

function factsOf(session: SessionInfo): readonly (readonly [string, string])[] {
  const { id, location, model, createdAt, updatedAt, turns, usage, cost } = session
  const tokens = usage.input + usage.cacheRead + usage.cacheWrite
  return [
    ["Session", id],
    ["Directory", location.directory],
    ...(model === null ? [] : [["Model", `${model.provider}/${model.model}`] as const]),
    ["From", timeText(createdAt)],
    ["To", timeText(updatedAt)],
    ["Turns", figure(turns)],
    ["Tokens", `${figure(tokens)} in, ${figure(usage.output)} out`],
    ["Cost", cost === null ? "not known" : `$${cost.toFixed(4)}`],
  ]
}

const timeText = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`

const figure = (count: number): string => count.toLocaleString("en-US")

type Image = { readonly hash: string; readonly mediaType: string; readonly name: string | null }
type PlannedBlock = Exclude<Block, { kind: "image" }> | { readonly kind: "image"; readonly image: Image }

function* blocksOf(message: Message, { reasoning }: PageOptions): Generator<PlannedBlock> {
  if (message.kind !== "assistant") {
    if (message.text.trim() !== "") yield { kind: "text", text: message.text }
    if (message.kind === "user") for (const image of message.images ?? []) yield { kind: "image", image }
    return
  }
  for (const { part } of message.parts) {
    switch (part.type) {
      case "text":
        if (part.text.trim() !== "") yield { kind: "text", text: part.text }
        break
      case "reasoning":
        if (reasoning === true && part.text.trim() !== "") yield { kind: "thought", text: part.text }
        break
      case "hosted":
        yield { kind: "call", name: part.name, state: "by the provider", input: "", output: null }
        break
      case "call": {
        const input = JSON.stringify(part.input, null, 2)
        yield {
          kind: "call",
          name: part.name,
          state: part.state,
          input,
          output: part.outcome?.output ?? null,
        }
        for (const image of part.outcome?.images ?? []) yield { kind: "image", image }
      }
    }
  }
}

async function filled(
  { store }: Pick<RuntimePorts, "store">,
  block: PlannedBlock,
  shown: (text: string) => string,
): Promise<Block> {
  switch (block.kind) {
    case "image": {
      const { hash, mediaType, name } = block.image
      const bytes = await Effect.runPromise(store.blob(hash))
      return { kind: "image", label: shown(name ?? `image ${hash.slice(0, 12)}`), mediaType, bytes }
    }
    case "call":
      return {
        kind: "call",
        name: shown(block.name),
        state: block.state,
        input: shown(block.input),
        output: block.output === null ? null : shown(block.output),
      }
    default:
      return { kind: block.kind, text: shown(block.text) }
  }
}
