/**
 * question: asks the person who works with the model, and gives it their words.
 *
 * It never runs: its call waits as an ask until somebody answers (PE1). Where nobody can, the Session's
 * own word is the answer (PE4).
 */
import { Effect, Schema } from "effect"
import { defineTool, ToolFailure } from "./tool.ts"

const optionsMax = 12

const Input = Schema.Struct({
  question: Schema.NonEmptyString,
  options: Schema.optionalKey(Schema.Array(Schema.NonEmptyString).check(Schema.isMaxLength(optionsMax))),
})

export const questionTool = defineTool({
  name: "question",
  description:
    "Asks the user a question and waits for the answer. Use it when a decision is theirs and cannot be found out by looking: one clear question, with options where there are a few. Do not ask for permission with it: calls that need one are asked for by themselves.",
  inputSchema: {
    type: "object",
    properties: {
      question: { type: "string", minLength: 1, description: "The question, in whole sentences." },
      options: {
        type: "array",
        items: { type: "string", minLength: 1 },
        maxItems: optionsMax,
        description:
          "Answers to choose from, the one that you recommend first. The user may answer otherwise.",
      },
    },
    required: ["question"],
    additionalProperties: false,
  },
  repeatable: true,
  readOnly: true,
  input: Input,
  question: ({ question, options = [] }) => ({ question, options }),
  run: () =>
    Effect.fail(
      new ToolFailure({
        code: "nobody_asked",
        message: "The question was not asked. Go on without an answer.",
      }),
    ),
})
