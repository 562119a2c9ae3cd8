/** What a prompt waits for that a Session cannot take at once. */
import type { AdmittedPrompt, PromptReceipt } from "@holdfast/sdk"
import { describe, expect, test } from "vitest"
import type { SessionStatus } from "@holdfast/schema/session"
import { waitingNote } from "../../src/conversation/waiting-note.ts"

const status = (more: Partial<SessionStatus>): SessionStatus => ({
  state: "idle",
  owing: false,
  pending: 0,
  asks: 0,
  reason: null,
  waitingUntil: null,
  ...more,
})
const waiting = (id: string, admittedSeq: number) => ({ id, admittedSeq }) as unknown as AdmittedPrompt
const receipt = (delivery: string) => ({ prompt: "mine", delivery }) as unknown as PromptReceipt
const inbox = [waiting("other", 3), waiting("mine", 5), waiting("later", 9)]

describe("[PR3] a prompt that waits says what for", () => {
  test.each([
    [
      status({ state: "running" }),
      "queue",
      "The Session is at work: this prompt waits in the queue until it is idle, after 1 prompt that came before.",
    ],
    [
      status({ state: "running" }),
      "steer",
      "The Session is at work: this prompt is taken up at its next turn.",
    ],
    [
      status({ state: "waiting" }),
      "steer",
      "The Session waits to try again: this prompt is taken up at its next turn.",
    ],
    [
      status({ state: "failed", owing: true }),
      "queue",
      "The Session first finishes what it owes: this prompt waits in the queue until it is idle, after 1 prompt that came before.",
    ],
    [status({ state: "failed", owing: true }), "steer", null],
    [status({}), "queue", null],
  ])("%j, %s", (before, delivery, note) => expect(waitingNote(before, inbox, receipt(delivery))).toBe(note))

  test("and one that was taken up already says nothing", () => {
    expect(waitingNote(status({ state: "running" }), [waiting("other", 3)], receipt("queue"))).toBeNull()
  })
})
