/**
 * Stories: seeds that failed once, each with the plan it had then. A number alone would tell another
 * story as soon as plans are drawn in another way.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Story } from "./story.ts"

const folder = import.meta.dirname

export const keptStories = (): readonly Story[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Story)

export function keepStory(story: Story): void {
  writeFileSync(join(folder, `${story.seed}.json`), `${JSON.stringify(story)}\n`)
}
