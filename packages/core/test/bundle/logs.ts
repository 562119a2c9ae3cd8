/** A small log with an image, as a bundle, and what can be done to its lines. */
import { createHash } from "node:crypto"
import type { Fact } from "@holdfast/schema/event"
import type { PromptId, SessionId } from "@holdfast/schema/id"
import { Effect } from "effect"
import type { StagedFile } from "@holdfast/store/port"
import { bundleRecord, writeBundle } from "../../src/bundle/write.ts"
import { type Intake, type IntakeLimits, makeIntake } from "../../src/bundle/intake.ts"
import type { CheckedBundle } from "../../src/bundle/check.ts"

export const session = "ses_bundle" as SessionId
export const image = Buffer.from("not really a picture")
export const imageHash = createHash("sha256").update(image).digest("hex")

export const facts: readonly Fact[] = [
  {
    type: "session.created",
    kind: "primary",
    parent: null,
    origin: null,
    location: { directory: "/srv/here", projectRoot: "/srv" },
    title: null,
    titledBy: "runtime",
    model: null,
    agent: "build",
    policy: "settle",
    onAsk: "wait",
    harness: "holdfast",
  },
  {
    type: "prompt.admitted",
    prompt: "prm_1" as PromptId,
    text: "Look at this — it’s fine.",
    images: [
      { hash: imageHash, mediaType: "image/png", bytes: image.length, width: 1, height: 1, name: null },
    ],
    delivery: "steer",
  },
  { type: "session.updated", title: "A look" },
]

export const lines = async (
  of: readonly Fact[] = facts,
  masked?: (text: string) => string,
): Promise<string[]> => {
  const found: string[] = []
  const records = of.map((fact, index) => bundleRecord(index + 1, 1_000 + index, fact))
  const blob = (hash: string) => (hash === imageHash ? image : null)
  for await (const bytes of writeBundle({ session, records, blob, ...(masked && { masked }) }))
    found.push(Buffer.from(bytes).toString())
  return found
}

/** The same lines under a last one that fits them: what is wrong is not what the hash tells. */
export function sealed(body: readonly string[], change: Record<string, unknown> = {}): string {
  const text = body.join("")
  const events = body.filter((line) => line.startsWith('{"event"')).length
  const blobs = new Set(body.flatMap((line) => /^\{"blob":"(\w+)"/.exec(line)?.[1] ?? [])).size
  const sha256 = createHash("sha256").update(text).digest("hex")
  return `${text}${JSON.stringify({ events, blobs, absent: [], masked: 0, sha256, ...change })}\n`
}

/** Keeps what is staged in memory. */
export function memoryStage(): StagedFile & { readonly text: () => string } {
  const parts: Uint8Array[] = []
  return {
    descriptor: -1,
    append: (bytes) => void parts.push(Buffer.from(bytes)),
    close: () => {},
    text: () => Buffer.concat(parts).toString(),
  }
}

export const takeIn = (bytes: Iterable<Uint8Array>, limits?: IntakeLimits): Promise<CheckedBundle> => {
  const intake: Intake = makeIntake(memoryStage(), limits)
  return Effect.runPromise(
    Effect.andThen(
      Effect.forEach(bytes, (piece) => intake.push(piece), { discard: true }),
      Effect.suspend(() => intake.end()),
    ),
  )
}
