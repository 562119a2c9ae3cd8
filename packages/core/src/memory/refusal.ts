/** Why a change of memory was refused, as a sentence that names what stands in the way (MM3, TL4). */
import type { RefusedChange } from "@holdfast/schema/memory/fold"
import type { NoteProblem } from "@holdfast/schema/memory/note-fold"

export function refusalText(
  { problem, says = "" }: Pick<RefusedChange, "problem" | "says">,
  ids: readonly string[],
): string {
  const named = ids.join(", ")
  switch (problem) {
    case "unknown":
      return `This project has no memory ${named}. Nothing was changed.`
    case "inactive":
      return `${named} was archived or replaced already. Nothing was changed.`
    case "duplicate":
      return `${named} says the same already. Nothing was changed; archive one of them or merge both.`
    case "unshared":
      return `${named}: the workspace does not share that, and only their own project changes it. Nothing was changed.`
    case "person":
      return `${named} is a rule of a person: ${JSON.stringify(says)} Only a person turns it round, with holdfast memory edit ${named}. Nothing was changed.`
    case "categories":
      if (ids.length < 2)
        return `A merge needs two different memories or more, and ${named} is one. Nothing was changed.`
      return `${named} are of several categories. Name the category of the merged memory.`
  }
}

/** Why a change of notes was refused. */
export const noteRefusal = (problem: NoteProblem, ids: readonly string[]): string => {
  if (problem === "too-many")
    return "The project has as many notes as it may have. Dismiss those that are done."
  if (problem === "dismissed") return `${ids.join(", ")} was dismissed already. Nothing was changed.`
  return `This project has no note ${ids.join(", ")}. Nothing was changed.`
}
