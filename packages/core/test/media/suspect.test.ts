import type { SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { expect, test } from "vitest"
import { suspectImage } from "../../src/media/suspect.ts"

const images = [{ hash: "a".repeat(64), mediaType: "image/png", bytes: 9, width: 1, height: 1, name: null }]
const user = (id: string, more: object = {}) =>
  ({ id, seq: 1, kind: "user", prompt: "one", text: "Look.", ...more }) as unknown as Message
const read = (id: string, outcome: object | null) =>
  ({
    id,
    seq: 1,
    kind: "assistant",
    turn: "trn_1",
    parts: [{ index: 0, part: { type: "call", outcome } }],
  }) as unknown as Message

const advice = (message: string) =>
  `Refused. If an image is the cause, take out the newest message that shows one, then resume: holdfast quarantine ses_1 ${message}`

test.each<readonly [about: string, code: string, shown: number, messages: readonly Message[], said: string]>([
  ["a prompt with an image", "invalid_request", 1, [user("msg_1", { images })], advice("msg_1")],
  ["a request too large", "request_too_large", 1, [user("msg_1", { images })], advice("msg_1")],
  [
    "the newest of several",
    "invalid_request",
    2,
    [user("msg_1", { images }), user("msg_2", { images }), user("msg_3")],
    advice("msg_2"),
  ],
  [
    "what a tool showed",
    "invalid_request",
    2,
    [user("msg_1", { images }), read("msg_2", { images }), read("msg_3", null)],
    advice("msg_2"),
  ],
  [
    "one that is not taken out yet",
    "invalid_request",
    1,
    [user("msg_1", { images }), user("msg_2", { images, quarantined: 9 })],
    advice("msg_1"),
  ],
  ["another failure", "overloaded", 1, [user("msg_1", { images })], "Refused."],
  ["a request that shows none", "invalid_request", 0, [user("msg_1", { images })], "Refused."],
  ["nothing that could be taken out", "invalid_request", 1, [user("msg_1")], "Refused."],
])("[LL7] a refusal names %s", (_, code, shown, messages, said) =>
  expect(
    suspectImage({ code, message: "Refused." }, { session: "ses_1" as SessionId, images: shown, messages }),
  ).toEqual({ code, message: said }),
)

test("[LL7] an image that is lost from storage names the message that shows it, not the newest", () => {
  const other = images.map((image) => ({ ...image, hash: "b".repeat(64) }))
  const messages = [user("msg_1", { images }), user("msg_2", { images: other })]
  const message = `The image media:${"a".repeat(12)} is gone from storage.`
  expect(
    suspectImage(
      { code: "invalid_request", message },
      { session: "ses_1" as SessionId, images: 2, messages },
    ),
  ).toEqual({
    code: "invalid_request",
    message: `${message} Take out the message that shows it, then resume: holdfast quarantine ses_1 msg_1`,
  })
})
