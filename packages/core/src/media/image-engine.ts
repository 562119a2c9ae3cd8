/**
 * Image engine: sharp, loaded at the first image and never before.
 *
 * It is an optional package and costs some 20 MB of memory, which most processes never need. It
 * works in threads beside the event loop; its cache is off and one image has one thread, so that
 * memory stays bounded by the images that are worked on.
 */
import { Effect } from "effect"
import type sharp from "sharp"

export type ImageEngine = typeof sharp
export type LoadEngine = () => Promise<ImageEngine>

/** How many images are worked on at the same time, in the whole process. */
export const imagesAtOnceMax = 2

export const loadSharp: LoadEngine = async () => {
  const { default: engine } = await import("sharp")
  engine.cache(false)
  engine.concurrency(1)
  return engine
}

/** Loads the engine; fails with a short reason, as a code of Node where there is one. */
export const openEngine = (load: LoadEngine): Effect.Effect<ImageEngine, string> =>
  Effect.tryPromise({
    try: load,
    catch: (error) => {
      const code = (error as NodeJS.ErrnoException | null)?.code
      return typeof code === "string" ? code : "its binary did not load"
    },
  })
