/**
 * Suspect: which message to take out when a provider refuses a request that shows images (LL7).
 *
 * A provider seldom says which image it cannot take, and it would refuse every later request as
 * well. The newest one is the likeliest: earlier requests with the others went through. One that
 * is lost from storage is known by its handle.
 */
import { imagesOf } from "@holdfast/recall"
import type { SessionId } from "@holdfast/schema/id"
import { handleOf } from "@holdfast/schema/media"
import type { Message } from "@holdfast/schema/message"
import type { Reason } from "@holdfast/schema/turn"

export interface RefusedRequest {
  readonly session: SessionId
  /** How many images it showed. */
  readonly images: number
  readonly messages: readonly Message[]
}

/** The reason, with a sentence that says what to try if an image may be the cause. */
export function suspectImage(reason: Reason, { session, images, messages }: RefusedRequest): Reason {
  if (images === 0 || !imageCodes.has(reason.code)) return reason
  const lost = messages.findLast((message) =>
    imagesOf(message).some((image) => reason.message.includes(handleOf(image))),
  )
  const suspect = lost ?? messages.findLast((message) => imagesOf(message).length > 0)
  if (suspect === undefined) return reason
  const advice =
    lost === undefined
      ? "If an image is the cause, take out the newest message that shows one"
      : "Take out the message that shows it"
  const command = `holdfast quarantine ${session} ${suspect.id}`
  return { ...reason, message: `${reason.message} ${advice}, then resume: ${command}` }
}

const imageCodes: ReadonlySet<string> = new Set(["invalid_request", "request_too_large"])
