/** Why a change of memory was refused, as a sentence that names what stands in the way (MM3, TL4). */
import type { MemoryProblem } from "@holdfast/schema/memory/fold"

export function refusalText(problem: MemoryProblem, ids: readonly string[]): string {
  const named = ids.join(", ")
  switch (problem) {
    case "unknown":
      return `This project has no memory ${named}. Nothing was changed.`
    case "inactive":
      return `${named} was archived or replaced already. Nothing was changed.`
    case "duplicate":
      return `${named} says the same already. Nothing was changed; archive one of them or merge both.`
    case "categories":
      return `${named} are of several categories. Name the category of the merged memory.`
  }
}
