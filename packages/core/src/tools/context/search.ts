/**
 * context_search: what was said before, in this Session and the others of the project (TL4, SE1).
 *
 * What the window shows is left out: the model has it. Each result names the part that `context_expand`
 * opens, and the Session where it is another.
 */
import { Effect, Schema } from "effect"
import { expandToolName } from "@holdfast/recall"
import { foundDefault, questionLengthMax } from "@holdfast/schema/search/bounds"
import type { FoundOther, FoundPlace } from "@holdfast/schema/search/found"
import { inOrder } from "@holdfast/schema/search/in-order"
import { defineTool, ToolFailure } from "../tool.ts"

const resultsMax = 20

export const searchTool = defineTool({
  name: "context_search",
  description: `Searches all that was said, called and put out earlier in this project: the parts of this conversation that your window shows no more, and every other one. Finds words, names, paths and exact phrases. ${expandToolName} opens what it names.`,
  inputSchema: {
    type: "object",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        maxLength: questionLengthMax,
        description:
          "Words, names or paths to look for; put a phrase in double quotes to find it as it stands.",
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: resultsMax,
        description: `How many results at most; ${foundDefault} unless given.`,
      },
    },
    required: ["query"],
    additionalProperties: false,
  },
  repeatable: true,
  readOnly: true,
  input: Schema.Struct({
    query: Schema.NonEmptyString.check(Schema.isMaxLength(questionLengthMax)),
    limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: resultsMax }))),
  }),
  run: Effect.fnUntraced(function* ({ query, limit = foundDefault }, { history }) {
    if (history === undefined)
      return yield* new ToolFailure({ code: "unavailable", message: "Nothing can be searched here." })
    const { found, also = [], own, unindexed } = yield* history.search(query, limit)
    const owed = unindexed === 0 ? [] : [`Not yet wholly indexed: ${unindexed} events. Search again later.`]
    if (found.length + also.length === 0)
      return { text: ["Nothing was found. Try other words, or fewer.", ...owed].join("\n") }
    const open = `Open one with ${expandToolName}: give its part, and its session where one is named.`
    const results = inOrder(found, also, (place) => placeText(place, own), otherText)
    return { text: [...results.map((result, at) => `[${at + 1}] ${result}`), open, ...owed].join("\n\n") }
  }),
})

function placeText({ session, part, author, time, exact, text }: FoundPlace, own: string): string {
  const where = session === own ? `part ${part}` : `part ${part} of session ${session}`
  const day = new Date(time).toISOString().slice(0, 10)
  return `${where}, ${speakers[author]}, ${day}${exact ? ", exact" : ""}\n${text}`
}

const otherText = ({ kind, id, project, time, exact, text }: FoundOther): string =>
  `${kind} ${kind === "commit" ? id.slice(0, 12) : id}${project === undefined ? "" : ` of ${project}`}, ${new Date(time).toISOString().slice(0, 10)}${exact ? ", exact" : ""}\n${text}`

const speakers: Readonly<Record<FoundPlace["author"], string>> = {
  user: "the user",
  assistant: "the assistant",
  call: "a call",
  output: "output of a tool",
  summary: "summary",
}
