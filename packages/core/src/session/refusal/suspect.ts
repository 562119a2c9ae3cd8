/**
 * Suspects: which messages to take out when a provider refuses a request for what is in it (LL7).
 *
 * A provider seldom says what it cannot take, and it would refuse every later request as well. What
 * was there before went through, so the cause is among what was added since; an image is the likeliest
 * of all. One that is lost from storage is known by its handle.
 */
import { imagesOf } from "@holdfast/recall"
import type { SessionId } from "@holdfast/schema/id"
import { handleOf } from "@holdfast/schema/media"
import type { Message } from "@holdfast/schema/message"
import { addedSinceTaken, isContentRefusal, type Removable } from "@holdfast/schema/state/added"
import type { Reason } from "@holdfast/schema/turn"

export interface RefusedRequest {
  readonly session: SessionId
  /** How many images it showed. */
  readonly images: number
  readonly messages: readonly Message[]
}

/** The reason, with a sentence that says what to try if something in the conversation may be the cause. */
export function nameSuspects(reason: Reason, request: RefusedRequest): Reason {
  if (!isContentRefusal(reason.code)) return reason
  const advice = imageAdvice(reason, request) ?? addedAdvice(request)
  return advice === null ? reason : { ...reason, message: `${reason.message} ${advice}` }
}

const imageCodes: ReadonlySet<string> = new Set(["invalid_request", "request_too_large"])
/** Named in one sentence. */
const namedMax = 3

function imageAdvice(reason: Reason, { session, images, messages }: RefusedRequest): string | null {
  if (images === 0 || !imageCodes.has(reason.code)) return null
  const command = `holdfast quarantine ${session}`
  const lost = messages.findLast((message) =>
    imagesOf(message).some((image) => reason.message.includes(handleOf(image))),
  )
  if (lost !== undefined) return `Take out the message that shows it, then resume: ${command} ${lost.id}`
  const suspect = (addedSinceTaken(messages) ?? messages).findLast((message) => imagesOf(message).length > 0)
  if (suspect === undefined) return null
  return `If an image is the cause, take out the newest message that shows one, then resume: ${command} ${suspect.id}`
}

function addedAdvice({ session, messages }: RefusedRequest): string | null {
  const added = addedSinceTaken(messages) ?? []
  const command = `holdfast quarantine ${session}`
  const [only] = added
  if (only === undefined) return null
  if (added.length === 1)
    return `Since the last request that the provider took, ${nameOf(only)} was added. If it is the cause, take it out, then resume: ${command} ${only.id}`
  const more = added.length - namedMax
  const named = [...added.slice(-namedMax).map(nameOf), ...(more > 0 ? [`${more} before them`] : [])]
  return `Since the last request that the provider took, these were added: ${named.join(", ")}. If one of them is the cause, this finds it: ${command} --find`
}

function nameOf(message: Removable<Message>): string {
  if (message.kind === "user") return `your message ${message.id}`
  if (message.kind === "notice") return `the notice ${message.id}`
  const tools = message.parts.flatMap(({ part }) => (part.type === "call" ? [part.name] : []))
  const results = tools.length === 0 ? "" : ` with the results of ${[...new Set(tools)].join(" and ")}`
  return `the answer ${message.id}${results}`
}
