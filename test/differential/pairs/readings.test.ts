/**
 * A wire's reading of an answer is a pure step: the same state and the same frame always give the
 * same, and a state that was left behind is still what it was.
 *
 * Every state is frozen, through everything that it holds, before the frame is read; once the answer
 * has ended, every step is taken again, the last first.
 */
import { reading as aiSdk } from "@holdfast/llm/ai-sdk/decode"
import { reading as anthropicMessages } from "@holdfast/llm/anthropic-messages/decode"
import { decodeBytes } from "@holdfast/llm/answer/byte-stream"
import { decodeEventStream } from "@holdfast/llm/answer/event-stream"
import { decodeJsonLines } from "@holdfast/llm/answer/json-lines"
import type { Answer } from "@holdfast/llm/answer/parts"
import type { Frame, Reading } from "@holdfast/llm/answer/reading"
import { reading as bedrockConverse } from "@holdfast/llm/bedrock-converse/decode"
import { framing } from "@holdfast/llm/bedrock-converse/event-frames"
import { reading as gemini } from "@holdfast/llm/gemini/decode"
import { reading as openaiChat } from "@holdfast/llm/openai-chat/decode"
import { reading as openaiResponses } from "@holdfast/llm/openai-responses/decode"
import type { StreamDecoder, StreamEvent } from "@holdfast/llm/wire"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { numRuns, timeoutMs } from "../runs.ts"
import { type AnswerStream, answerStreams } from "./answers.ts"
import { anySaid } from "./plan.ts"
import { wireNames } from "./speakers.ts"

type Decode = <Own, Note>(contentType: string, reading: Reading<Own, Note>) => StreamDecoder

interface Taken {
  readonly again: () => Answer<unknown, unknown>
  readonly said: Answer<unknown, unknown>["said"]
}

interface Subject {
  /** The events of an answer, and every step that led to them. */
  readonly read: (contentType: string, bytes: Buffer) => { events: readonly StreamEvent[]; steps: Taken[] }
}

const subject = <Own, Note>(reading: Reading<Own, Note>, decode: Decode): Subject => ({
  read: (contentType, bytes) => {
    const steps: Taken[] = []
    const step = (answer: Answer<Own, Note>, frame: Frame): Answer<Own, Note> => {
      const again = () => reading.step(freeze(answer), frame)
      const taken = again()
      steps.push({ again, said: taken.said })
      return taken
    }
    const { push, end } = decode(contentType, { start: reading.start, step, end: reading.end })
    return { events: [...push(bytes), ...end()], steps }
  },
})

const decodeEventFrames: Decode = (given, reading) =>
  decodeBytes({ given, wanted: "application/vnd.amazon.eventstream" }, reading, framing)

const subjects: Readonly<Record<string, Subject>> = {
  "anthropic-messages": subject(anthropicMessages, decodeEventStream),
  "openai-responses": subject(openaiResponses, decodeEventStream),
  "openai-chat": subject(openaiChat, decodeEventStream),
  gemini: subject(gemini, decodeEventStream),
  "bedrock-converse": subject(bedrockConverse, decodeEventFrames),
  "ai-sdk": subject(aiSdk, decodeJsonLines),
}

function freeze<A>(value: A): A {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Reflect.ownKeys(value)) freeze(value[key as keyof A])
  return value
}

test.each(wireNames)("[LL1] %s reads an answer by pure steps", { timeout: timeoutMs }, (name) => {
  const { contentType, write } = answerStreams[name] as AnswerStream
  const { read } = subjects[name] as Subject
  fc.assert(
    fc.property(fc.array(anySaid, { maxLength: 5 }), fc.boolean(), (said, shows) => {
      let ids = 0
      const unique = (prefix: string) => `${prefix}_${(ids += 1)}`
      const bytes = write(said, { model: "m", shows, unique, issue: (seal) => seal })
      const { events, steps } = read(contentType, bytes)
      expect(events.at(-1)?.type).toBe("finish")
      for (const { again, said: before } of steps.toReversed()) expect(again().said).toEqual(before)
    }),
    { numRuns },
  )
})
