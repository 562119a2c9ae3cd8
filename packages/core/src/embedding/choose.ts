/**
 * Which embedding model a project has (SE3): that of the user, unless its own file asks for another that the user allows.
 *
 * The file comes with whatever was cloned. What stays on this machine it may choose; a provider gets what was said only by a
 * model that the user's own settings name. Where the user switched embedding off, it stays off.
 */
import type { SearchSettings } from "../config/settings.ts"
import { formatModelRef } from "@holdfast/schema/model"

export type EmbeddingAsked = NonNullable<SearchSettings["embedding"]>

export function embeddingFor(user: SearchSettings | null, project: SearchSettings | null): EmbeddingAsked {
  const own = user?.embedding ?? "local"
  const asked = project?.embedding
  if (own === "off" || asked === undefined) return own
  return typeof asked === "string" || isAllowed(user, asked) ? asked : own
}

export const isAllowed = (user: SearchSettings | null, asked: Exclude<EmbeddingAsked, string>): boolean =>
  namedModels(user).some((model) => formatModelRef(model) === formatModelRef(asked))

/** Of providers, that the user's settings name. */
export const namedModels = (user: SearchSettings | null): readonly Exclude<EmbeddingAsked, string>[] => [
  ...(typeof user?.embedding === "object" ? [user.embedding] : []),
  ...(user?.projectModels ?? []),
]
