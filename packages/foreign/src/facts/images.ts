/** Images of a foreign session: taken in once each, or told as skipped (LL7). */
import type { Media } from "@holdfast/schema/media"
import type { ForeignImage, ForeignRecord, SkippedRecord } from "../record.ts"

export interface TakenImage {
  readonly media: Media
  readonly bytes: Uint8Array
}

/** Makes an image fit for every model; null where it cannot be. */
export type TakeImage = (bytes: Uint8Array) => Promise<TakenImage | null>

export interface ImportedImages {
  readonly of: (images: readonly ForeignImage[]) => readonly Media[]
  readonly taken: readonly TakenImage[]
  readonly skipped: readonly SkippedRecord[]
}

export async function takeImages(
  records: readonly ForeignRecord[],
  take: TakeImage,
): Promise<ImportedImages> {
  const byImage = new Map<ForeignImage, TakenImage>()
  const skipped: SkippedRecord[] = []
  for (const record of records) {
    if (record.type !== "prompt" && record.type !== "result") continue
    const shown = record.type === "result" || record.by === "person"
    for (const image of record.images) {
      const taken = shown && "base64" in image ? await take(Buffer.from(image.base64, "base64")) : null
      if (taken !== null) {
        byImage.set(image, taken)
        continue
      }
      const what = "base64" in image ? (image.mediaType ?? "no type") : `only its name: ${image.name}`
      const { session, line } = record
      skipped.push({ type: "skipped", session, line, why: "not-kept", detail: `an image (${what})` })
    }
  }
  return {
    of: (images) => images.flatMap((image) => byImage.get(image)?.media ?? []),
    taken: [...byImage.values()],
    skipped,
  }
}

/** A moment of the file, or the one before where it tells none. */
export const importTime = (at: number | null, before: number): number =>
  at === null || !Number.isFinite(at) || at < 0 ? before : Math.floor(at)
