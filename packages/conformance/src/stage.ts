/**
 * What a case works with: the client, requests of its own making, Sessions that go away again, and
 * words for what was expected.
 */
import { strict as assert } from "node:assert"
import type { HoldfastClient, Input, Session, SessionsCreateInput } from "@holdfast/client"
import { NotApplicable } from "./case.ts"
import type { ContractDocument, NamedOperation } from "./contract.ts"
import type { EffectAccess, RawAccess, Target } from "./target.ts"

export interface Stage {
  readonly client: HoldfastClient
  /** Generated inputs for each operation. */
  readonly inputs: number
  readonly seed: number
  /** A new Session, deleted after the case. */
  readonly session: (input?: SessionsCreateInput) => Promise<Session>
  /** Deletes this Session too after the case. */
  readonly owned: (session: Session) => Session
  /** Leaves the case: what it is about is not there. */
  readonly skip: (reason: string) => never
  readonly effect: () => EffectAccess
  /** The server's own document. */
  readonly document: () => Promise<ContractDocument>
  /** The token that the target takes. */
  readonly token: () => string
  /** The Origin of a page that the target itself serves. */
  readonly origin: () => string
  /** A request below the server's address, with its token unless said otherwise. */
  readonly ask: (path: string, asked?: Asked) => Promise<Answer>
}

export interface Asked {
  readonly method?: string
  /** Sent as JSON. */
  readonly payload?: unknown
  /** Sent as it is, in place of `payload`. */
  readonly body?: string
  /** Null leaves a header out. */
  readonly headers?: Readonly<Record<string, string | null>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Empty for a stream, which would not end. */
  readonly text: string
  readonly json: unknown
}

export interface OpenStage {
  readonly stage: Stage
  readonly close: () => Promise<void>
}

export interface StageOptions {
  readonly inputs: number
  readonly seed: number
}

export function openStage(
  target: Target,
  document: () => Promise<ContractDocument>,
  options: StageOptions,
): OpenStage {
  const made: string[] = []
  const stage: Stage = {
    ...options,
    client: target.client,
    document,
    token: () => rawOf(target).token,
    origin: () => new URL(rawOf(target).baseUrl).origin,
    session: async (input = {}) => {
      const session = await target.client.sessions.create({ title: scratchTitle, ...input })
      made.push(session.id)
      return session
    },
    owned: (session) => {
      made.push(session.id)
      return session
    },
    skip: (reason) => {
      throw new NotApplicable(reason)
    },
    effect: () => {
      assert(target.effect !== undefined, "this target has no Effect client")
      return target.effect
    },
    ask: (path, asked = {}) => ask(rawOf(target), path, asked),
  }
  const close = async () => {
    // Gone already is as good.
    for (const sessionID of made) await target.client.sessions.delete({ sessionID }).catch(() => {})
  }
  return { stage, close }
}

function rawOf({ raw }: Target): RawAccess {
  assert(raw !== undefined, "this target takes no requests as they are")
  return raw
}

/** What Sessions are called that a case made, so that a person knows them where a run was cut off. */
const scratchTitle = "holdfast-conformance"

export async function ask(raw: RawAccess, path: string, asked: Asked): Promise<Answer> {
  const body = asked.body ?? (asked.payload === undefined ? undefined : JSON.stringify(asked.payload))
  const given: Readonly<Record<string, string | null>> = {
    authorization: `Bearer ${raw.token}`,
    "content-type": body === undefined ? null : "application/json",
    ...asked.headers,
  }
  const headers = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null)
  const request = new Request(raw.baseUrl + path, {
    method: asked.method ?? "GET",
    headers,
    ...(body !== undefined && { body }),
  })
  return answerOf(await raw.send(request))
}

async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response
  const type = headers.get("content-type") ?? ""
  if (type.startsWith("text/event-stream")) {
    await response.body?.cancel()
    return { status, headers, text: "", json: null }
  }
  const text = await response.text()
  return { status, headers, text, json: type.startsWith("application/json") ? parsed(text) : null }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Told by the case that expects JSON.
    return null
  }
}

/** A path of the contract with its parameters filled in. */
export const pathOf = ({ path }: NamedOperation, values: Readonly<Record<string, string>>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ""))

/** Calls the method of the client that has this name. */
export function callByName(
  client: HoldfastClient,
  { name, params, rest }: NamedOperation,
  input: Input,
): unknown {
  const [group = "", method = ""] = name.split(".")
  const methods = (client as unknown as Record<string, Record<string, (...given: unknown[]) => unknown>>)[
    group
  ]
  const call = methods?.[method]
  assert(call !== undefined, `the client has no method ${name}`)
  return params.length > 0 || rest !== undefined ? call(input) : call()
}
