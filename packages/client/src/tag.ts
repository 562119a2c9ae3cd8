/** A tag tells what a failure is, wherever the value was made. */
export const hasTag = (value: unknown, tag: string): boolean => tagOf(value) === tag

export function tagOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("_tag" in value)) return null
  return typeof value._tag === "string" ? value._tag : null
}
