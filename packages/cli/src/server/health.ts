/** What a server says of itself, asked with its token and a short limit. */

export type Health =
  | { readonly kind: "answers"; readonly version: string; readonly degraded: readonly DegradedPart[] }
  | { readonly kind: "silent"; readonly problem: string }

/** FA1: a part that works less well, why and since when. */
export interface DegradedPart {
  readonly part: string
  readonly cause: string
  readonly since: number
}

const healthMsMax = 1_000

export async function askHealth(url: string, token: string, timeoutMs = healthMsMax): Promise<Health> {
  try {
    const response = await fetch(new URL("/api/health", url), {
      headers: { authorization: `Bearer ${token}` },
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!response.ok) return { kind: "silent", problem: `it answers with status ${response.status}` }
    const body = (await response.json()) as { version?: unknown; degraded?: unknown }
    if (typeof body.version !== "string") return { kind: "silent", problem: "it is no Holdfast server" }
    const degraded = Array.isArray(body.degraded) ? body.degraded.filter(isDegraded) : []
    return { kind: "answers", version: body.version, degraded }
  } catch (failure) {
    const cause = failure instanceof Error && failure.cause instanceof Error ? failure.cause : failure
    return { kind: "silent", problem: cause instanceof Error ? cause.message : String(cause) }
  }
}

function isDegraded(value: unknown): value is DegradedPart {
  if (typeof value !== "object" || value === null) return false
  const { part, cause, since } = value as Partial<Record<keyof DegradedPart, unknown>>
  return typeof part === "string" && typeof cause === "string" && typeof since === "number"
}
