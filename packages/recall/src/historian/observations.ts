/** What a historian notices about the user, where a profile is kept (UP1): asked for beside the history, and read apart from it. */
import { oneLine } from "./words.ts"

const observationsMax = 5
const observationUnitsMax = 300

export const observationsAsk = `Beside the history, and only if the user said so in this stretch: how do they want to be worked with, in any project? Add behind </history> at most ${observationsMax} lines such as <observation>wants short answers</observation>. Nothing private, nothing about the project. Most stretches have none.`

export const observationsIn = (answer: string): readonly string[] =>
  [...answer.matchAll(/<observation>([^<]*)<\/observation>/gi)]
    .map(([, text = ""]) => oneLine(text).slice(0, observationUnitsMax).toWellFormed())
    .filter((text) => text !== "")
    .slice(0, observationsMax)
