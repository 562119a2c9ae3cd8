/** Which blobs a fact names: a bundle brings them along, and nothing else (ST4). */
import type { Fact } from "../event.ts"
import type { FileEffect } from "../fact/turn.ts"

export interface NamedBlobs {
  /** Without these a request cannot be built again. */
  readonly needed: readonly string[]
  /** Files as calls found and left them; large ones were never kept. */
  readonly kept: readonly string[]
}

const none: NamedBlobs = { needed: [], kept: [] }

export function blobsNamedBy(fact: Fact): NamedBlobs {
  switch (fact.type) {
    case "prompt.admitted":
    case "prompt.edited":
      return { needed: hashesOf(fact.images), kept: [] }
    case "turn.started":
      return { needed: [fact.tools, fact.options], kept: [] }
    case "call.planned":
      return { needed: [], kept: fact.effects.flatMap(filesOf) }
    case "call.settled":
      return { needed: hashesOf(fact.outcome.images), kept: fact.effects.flatMap(filesOf) }
    default:
      return none
  }
}

const hashesOf = (images: readonly { readonly hash: string }[] = []): readonly string[] =>
  images.map(({ hash }) => hash)

const filesOf = ({ before, after }: FileEffect): readonly string[] =>
  [before, after].filter((hash) => hash !== null)
