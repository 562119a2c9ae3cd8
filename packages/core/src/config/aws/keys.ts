/**
 * AWS keys: from the variables, a profile of the shared file or the output of a command, to what
 * signs a request. Everything here is pure; a fault names the place and quotes nothing of it (AU1).
 */
import { Effect } from "effect"
import type { SigningCredentials } from "@holdfast/llm/wire"
import { CredentialFault, type CredentialFaultCode } from "../credentials/fault.ts"
import type { Environment } from "../directories.ts"
import { readAwsProfile } from "./profile.ts"

export type AwsKeys = Omit<SigningCredentials, "region">

/** documented: the variables of the AWS tools. */
export const accessKeyVariable = "AWS_ACCESS_KEY_ID"
const variables = [accessKeyVariable, "AWS_SECRET_ACCESS_KEY"] as const
const tokenVariable = "AWS_SESSION_TOKEN"

/** Longest of a session token; documented: it has no fixed size. */
const tokenCharsMax = 16_384

export function keysInEnvironment(environment: Environment): Effect.Effect<AwsKeys, CredentialFault> {
  const [accessKeyId, secretAccessKey, sessionToken] = [...variables, tokenVariable].map(
    (name) => environment[name]?.trim() ?? "",
  ) as [string, string, string]
  const unset = variables.filter((name) => (environment[name]?.trim() ?? "") === "")
  if (unset.length > 0)
    return fault(
      "variable_unset",
      `from the variables of AWS, of which ${unset.join(" and ")} ${unset.length > 1 ? "are" : "is"} not set.`,
    )
  return legalKeys(accessKeyId, secretAccessKey, sessionToken, "the variables of AWS")
}

export function keysInProfile(
  text: string,
  file: string,
  profile: string,
): Effect.Effect<AwsKeys, CredentialFault> {
  const place = `the profile ${profile} of ${file}`
  const fields = readAwsProfile(text, profile)
  if (fields === null) return fault("profile_missing", `from ${place}, which is not there.`)
  const accessKeyId = fields.get("aws_access_key_id") ?? ""
  const secretAccessKey = fields.get("aws_secret_access_key") ?? ""
  if (accessKeyId === "" || secretAccessKey === "") {
    return fault(
      "profile_keyless",
      `from ${place}, which holds no pair of keys. If a role, a login or a program gives them, set "command": ["aws", "configure", "export-credentials", "--profile", "${profile}"] in its place.`,
    )
  }
  return legalKeys(accessKeyId, secretAccessKey, fields.get("aws_session_token") ?? "", place)
}

export interface ExpiringKeys {
  readonly keys: AwsKeys
  /** Null if the command does not say. */
  readonly expiresAtMs: number | null
}

/** documented: what `credential_process` writes, version 1. */
export const keysInOutput = Effect.fnUntraced(function* (
  output: string,
  program: string,
  nowMs: number,
): Effect.fn.Return<ExpiringKeys, CredentialFault> {
  const place = `the command ${program}`
  const fields = parseObject(output)
  if (fields?.["Version"] !== 1) {
    return yield* fault(
      "key_malformed",
      `from ${place}, which must write JSON as credential_process of AWS does: {"Version": 1, "AccessKeyId": …, "SecretAccessKey": …}.`,
    )
  }
  const textIn = (name: string) => (typeof fields[name] === "string" ? fields[name].trim() : "")
  const keys = yield* legalKeys(
    textIn("AccessKeyId"),
    textIn("SecretAccessKey"),
    textIn("SessionToken"),
    place,
  )
  const said = fields["Expiration"] ?? null
  if (said === null || said === "") return { keys, expiresAtMs: null }
  const expiresAtMs = typeof said === "string" ? Date.parse(said) : Number.NaN
  if (Number.isNaN(expiresAtMs))
    return yield* fault("key_malformed", `from ${place}, whose Expiration is no time of ISO 8601.`)
  if (expiresAtMs <= nowMs) {
    const when = new Date(expiresAtMs).toISOString()
    return yield* fault(
      "key_expired",
      `from ${place}, which gives keys that expired at ${when}. Log in again.`,
    )
  }
  return { keys, expiresAtMs }
})

/** An id stands inside a header between commas and slashes; a token is a header of its own. */
function legalKeys(
  accessKeyId: string,
  secretAccessKey: string,
  sessionToken: string,
  place: string,
): Effect.Effect<AwsKeys, CredentialFault> {
  const isLegal =
    /^\w{1,128}$/.test(accessKeyId) &&
    /^[\x21-\x7e]{1,256}$/.test(secretAccessKey) &&
    /^[\x21-\x7e]*$/.test(sessionToken) &&
    sessionToken.length <= tokenCharsMax
  return isLegal
    ? Effect.succeed({ accessKeyId, secretAccessKey, sessionToken: sessionToken || null })
    : fault("key_malformed", `from ${place}, which gives something that is no pair of AWS keys.`)
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null // whatever is wrong with it, it is not what a command must write
  }
}

const fault = (code: CredentialFaultCode, rest: string): Effect.Effect<never, CredentialFault> =>
  Effect.fail(new CredentialFault({ code, message: `takes its key ${rest}` }))
