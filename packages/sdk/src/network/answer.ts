/** Answers read: a value as it is, a failure as the same class that an embedded Holdfast rejects with. */
import * as failures from "@holdfast/schema/error"
import { ClientError } from "./client-error.ts"

/** Failures of the contract, by tag; a tag that is not here is a refusal by the transport. */
const classes: Readonly<Record<string, new (fields: never) => Error>> = {
  SessionNotFound: failures.SessionNotFound,
  MessageNotFound: failures.MessageNotFound,
  ImageNotFound: failures.ImageNotFound,
  TurnNotFound: failures.TurnNotFound,
  PromptNotFound: failures.PromptNotFound,
  PromptConflict: failures.PromptConflict,
  PromptNotPending: failures.PromptNotPending,
  PromptRefused: failures.PromptRefused,
  InvalidId: failures.InvalidId,
  InvalidCursor: failures.InvalidCursor,
  InvalidRequest: failures.InvalidRequest,
  LocationMissing: failures.LocationMissing,
  ModelNotFound: failures.ModelNotFound,
  NothingOwed: failures.NothingOwed,
  ConfigurationInvalid: failures.ConfigurationInvalid,
  StoreFailure: failures.StoreFailure,
}

/** The value of an answer; rejects with its failure. */
export async function readAnswer(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined
  if (!response.ok) throw await readFailure(response)
  return readJson(response)
}

export async function readFailure(response: Response): Promise<Error> {
  const { status } = response
  const said = await readJson(response)
  if (!isTagged(said)) {
    return new ClientError("unexpected-status", `The server answered ${status} without a reason.`, { status })
  }
  const { _tag: tag, ...fields } = said
  const known = Object.hasOwn(classes, tag) ? classes[tag] : undefined
  if (known === undefined) return new ClientError("refused", said.message, { status, failure: tag })
  try {
    return new known(fields as never)
  } catch (cause) {
    // Fields that this version of the class does not take.
    return new ClientError("malformed-response", `${tag}: ${said.message}`, { status, failure: tag, cause })
  }
}

async function readJson(response: Response): Promise<unknown> {
  const { status } = response
  const type = response.headers.get("content-type") ?? ""
  if (!/^application\/json *(;|$)/i.test(type)) {
    await response.body?.cancel()
    const message = `The server answered ${status} with ${type === "" ? "no content type" : type}, which is not JSON. Is this the address of Holdfast?`
    throw new ClientError("unsupported-content-type", message, { status })
  }
  const text = await response.text().catch((cause: unknown) => {
    throw new ClientError("transport", "The answer broke off. Ask again.", { status, cause })
  })
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ClientError("malformed-response", "The answer is not valid JSON.", { status, cause })
  }
}

const isTagged = (value: unknown): value is { readonly _tag: string; readonly message: string } =>
  typeof value === "object" &&
  value !== null &&
  "_tag" in value &&
  typeof value._tag === "string" &&
  "message" in value &&
  typeof value.message === "string"
