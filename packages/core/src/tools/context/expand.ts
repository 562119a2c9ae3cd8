/**
 * context_expand: shows a part of the history as it was (TL4, TG4).
 *
 * Compartments stand for messages that the window shows no more. Their ids and the numbers of messages
 * in them are ranges of the log of this Session, so that nothing has to be looked up, and whatever a
 * pass left out is read from the store. Of other Sessions of the project, context_search names the parts.
 */
import { Effect, Schema } from "effect"
import { expandToolName, readRange } from "@holdfast/recall"
import { defineTool, ToolFailure } from "../tool.ts"

const Input = Schema.Struct({
  part: Schema.NonEmptyString,
  offset: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  session: Schema.optionalKey(Schema.NonEmptyString),
})

export const expandTool = defineTool({
  name: expandToolName,
  description:
    "Shows an earlier part of this conversation as it was: messages, calls and their whole results. Use it when the history names something that you need in full.",
  inputSchema: {
    type: "object",
    properties: {
      part: {
        type: "string",
        minLength: 1,
        description: "A part such as c12-310, a message or a tag such as #12, or a range such as #12-#40.",
      },
      offset: {
        type: "integer",
        minimum: 0,
        description: "Where in its first message to begin, in characters, as the page before says.",
      },
      session: {
        type: "string",
        minLength: 1,
        description:
          "Another conversation of this project, as context_search names it; this one unless given.",
      },
    },
    required: ["part"],
    additionalProperties: false,
  },
  repeatable: true,
  readOnly: true,
  input: Input,
  run: Effect.fnUntraced(function* ({ part, offset = 0, session }, { history }) {
    const range = readRange(part)
    if (range === null)
      return yield* refused(`"${part}" is no part. Give one such as c12-310, #12 or #12-#40.`)
    const page = history === undefined ? null : yield* history.expand(range, offset, session)
    if (page === null)
      return yield* refused(
        session === undefined
          ? `No message of this conversation lies in ${part}. The history names its parts.`
          : `No message of session ${session} lies in ${part}, or it is none of this project.`,
      )
    if (page.next === null) return { text: page.text }
    const { seq, offset: at } = page.next
    const further = [
      `part "#${seq}-#${range.toSeq}"`,
      ...(at === 0 ? [] : [`offset ${at}`]),
      ...(session === undefined ? [] : [`session "${session}"`]),
    ]
    const more = `[more: call ${expandToolName} with ${further.join(" and ")}]`
    return { text: `${page.text}\n\n${more}` }
  }),
})

const refused = (message: string): Effect.Effect<never, ToolFailure> =>
  Effect.fail(new ToolFailure({ code: "no_such_part", message }))
