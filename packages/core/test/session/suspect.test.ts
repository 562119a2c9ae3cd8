import type { SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { expect, test } from "vitest"
import { nameSuspects } from "../../src/session/refusal/suspect.ts"

const images = [{ hash: "a".repeat(64), mediaType: "image/png", bytes: 9, width: 1, height: 1, name: null }]
const user = (id: string, more: object = {}) =>
  ({ id, seq: 1, kind: "user", prompt: "one", text: "Look.", ...more }) as unknown as Message
const read = (id: string, outcome: object | null) =>
  ({
    id,
    seq: 1,
    kind: "assistant",
    turn: "trn_1",
    parts: [{ index: 0, part: { type: "call", name: "read", outcome } }],
  }) as unknown as Message

const notice = (id: string) => ({ id, seq: 1, kind: "notice", text: "Done." }) as unknown as Message

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
    [user("msg_1", { images }), read("msg_2", { images }), user("msg_3")],
    advice("msg_2"),
  ],
  [
    "what came since the last request that was taken, not an older image",
    "invalid_request",
    1,
    [user("msg_1", { images }), read("msg_2", null), user("msg_3")],
    `Refused. Since the last request that the provider took, these were added: the answer msg_2 with the results of read, your message msg_3. If one of them is the cause, this finds it: holdfast quarantine ses_1 --find`,
  ],
  [
    "the one thing that was added",
    "content_policy",
    0,
    [user("msg_1"), read("msg_2", null), user("msg_3", { quarantined: 9 })],
    `Refused. Since the last request that the provider took, the answer msg_2 with the results of read was added. If it is the cause, take it out, then resume: holdfast quarantine ses_1 msg_2`,
  ],
  [
    "at most three of many",
    "unknown",
    0,
    [read("msg_2", null), user("msg_3"), notice("msg_4"), user("msg_5"), user("msg_6")],
    `Refused. Since the last request that the provider took, these were added: the notice msg_4, your message msg_5, your message msg_6, 2 before them. If one of them is the cause, this finds it: holdfast quarantine ses_1 --find`,
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
    nameSuspects({ code, message: "Refused." }, { session: "ses_1" as SessionId, images: shown, messages }),
  ).toEqual({ code, message: said }),
)

test("[LL7] an image that is lost from storage names the message that shows it, not the newest", () => {
  const other = images.map((image) => ({ ...image, hash: "b".repeat(64) }))
  const messages = [user("msg_1", { images }), user("msg_2", { images: other })]
  const message = `The image media:${"a".repeat(12)} is gone from storage.`
  expect(
    nameSuspects(
      { code: "invalid_request", message },
      { session: "ses_1" as SessionId, images: 2, messages },
    ),
  ).toEqual({
    code: "invalid_request",
    message: `${message} Take out the message that shows it, then resume: holdfast quarantine ses_1 msg_1`,
  })
})
