/**
 * Credentials: from where a key is said to be, to the key (AU1).
 *
 * A key lives in memory, in the header of a request, and nowhere else. What cannot be read is a
 * fault that names the place and says what to do; it quotes nothing of what was found there. The
 * output of a command is kept for a while, so that not every turn asks a password manager.
 */
import { Clock, Effect, Redacted, Semaphore } from "effect"
import { keysInEnvironment, keysInOutput, keysInProfile } from "../aws/keys.ts"
import type { Environment } from "../directories.ts"
import type { AwsKey, ProviderKey } from "../settings.ts"
import { type Credential, isSameCredential } from "./credential.ts"
import { CredentialFault, type CredentialFaultCode } from "./fault.ts"
import { findKeyCommand, runKeyCommand } from "./key-command.ts"
import { readPrivateFile } from "./private-file.ts"

/** Speaking needs the key; describing only that it could be had, and runs no command for it. */
export type Purpose = "speak" | "describe"

export interface Credentials {
  readonly read: (key: ProviderKey, purpose: Purpose) => Effect.Effect<Credential, CredentialFault>
  /** Another than the one that was refused, or null: of a file or a command it may have changed. */
  readonly renew: (key: ProviderKey, refused: Credential) => Effect.Effect<Credential | null>
}

/** How long the output of a command is taken for the key, unless it says itself when it expires. */
export const commandKeyMs = 900_000
/** What expires sooner is asked for again: an attempt may wait, and clocks differ. */
export const expiryMarginMs = 300_000
export const keyBytesMax = 16_384
/** Of a file with the profiles of a person. */
const profileFileBytesMax = 262_144

export function makeCredentials(environment: Environment): Credentials {
  const kept = new Map<string, { readonly value: Redacted.Redacted<Credential>; readonly until: number }>()
  // One at a time: two questions of a password manager at once confuse people.
  const turn = Semaphore.makeUnsafe(1)

  const ask = Effect.fnUntraced(function* (
    key: ProviderKey,
    argv: readonly string[],
    understand: (output: string, nowMs: number) => Effect.Effect<Understood, CredentialFault>,
  ) {
    const name = JSON.stringify(key)
    const known = kept.get(name)
    if (known !== undefined && (yield* Clock.currentTimeMillis) < known.until)
      return Redacted.value(known.value)
    const output = yield* runKeyCommand(argv, environment, keyBytesMax)
    const { value, until } = yield* understand(output, yield* Clock.currentTimeMillis)
    kept.set(name, { value: Redacted.make(value), until })
    return value
  })

  const notAsked = (argv: readonly string[]) => Effect.as(findKeyCommand(argv, environment), "")

  const readAws = (key: AwsKey, region: string, purpose: Purpose) => {
    const { from } = key
    switch (from.kind) {
      case "environment":
        return Effect.map(keysInEnvironment(environment), (keys) => ({ ...keys, region }))
      case "profile":
        return readPrivateFile(from.file, profileFileBytesMax).pipe(
          Effect.flatMap((text) => keysInProfile(text, from.file, from.profile)),
          Effect.map((keys) => ({ ...keys, region })),
        )
      case "command":
        if (purpose === "describe") return notAsked(from.argv)
        return turn.withPermits(1)(
          ask(key, from.argv, (output, nowMs) =>
            Effect.map(keysInOutput(output, from.argv[0] ?? "", nowMs), ({ keys, expiresAtMs }) => ({
              value: { ...keys, region },
              until: expiresAtMs === null ? nowMs + commandKeyMs : expiresAtMs - expiryMarginMs,
            })),
          ),
        )
    }
  }

  const read: Credentials["read"] = (key, purpose) => {
    switch (key.kind) {
      case "none":
        return Effect.succeed(null)
      case "value":
        return legalKey(Redacted.value(key.value), "the configuration")
      case "variable":
        return readVariable(key.name, environment)
      case "file":
        return Effect.flatMap(readPrivateFile(key.path, keyBytesMax), (text) =>
          legalKey(text, `the file ${key.path}`),
        )
      case "command":
        if (purpose === "describe") return notAsked(key.argv)
        return turn.withPermits(1)(
          ask(key, key.argv, (output, nowMs) =>
            Effect.map(legalKey(output, `the command ${key.argv[0]}`), (value) => ({
              value,
              until: nowMs + commandKeyMs,
            })),
          ),
        )
      case "aws":
        return key.region === null ? noRegion : readAws(key, key.region, purpose)
    }
  }

  return {
    read,
    renew: (key, refused) => {
      if (!mayChange(key)) return Effect.succeed(null)
      const forget = Effect.sync(() => {
        const name = JSON.stringify(key)
        const known = kept.get(name)
        // Another Session may have asked anew already.
        if (known !== undefined && isSameCredential(Redacted.value(known.value), refused)) kept.delete(name)
      })
      return Effect.andThen(forget, read(key, "speak")).pipe(
        Effect.map((fresh) => (isSameCredential(fresh, refused) ? null : fresh)),
        // The refusal of the provider is what the person has to hear of.
        Effect.orElseSucceed(() => null),
      )
    },
  }
}

/** What a command wrote, and until when it may be used without asking again. */
interface Understood {
  readonly value: Credential
  readonly until: number
}

/** Whether a second look may find something else. */
const mayChange = (key: ProviderKey): boolean =>
  key.kind === "file" || key.kind === "command" || (key.kind === "aws" && key.from.kind !== "environment")

function readVariable(name: string, environment: Environment): Effect.Effect<string, CredentialFault> {
  const value = (environment[name] ?? "").trim()
  if (value !== "") return legalKey(value, `the variable ${name}`)
  return fault("variable_unset", `from the variable ${name}, which is not set. Set it, then try again.`)
}

/** A header carries visible characters only; anything else would break the request or smuggle one. */
function legalKey(text: string, source: string): Effect.Effect<string, CredentialFault> {
  const key = text.trim()
  if (key === "") return fault("key_empty", `from ${source}, which gives an empty text.`)
  if (key.length > keyBytesMax || !/^[\x21-\x7e]+$/.test(key))
    return fault(
      "key_malformed",
      `from ${source}, which gives something that is no key: it must be one word.`,
    )
  return Effect.succeed(key)
}

const fault = (code: CredentialFaultCode, rest: string): Effect.Effect<never, CredentialFault> =>
  Effect.fail(new CredentialFault({ code, message: `takes its key ${rest}` }))

const noRegion = Effect.fail(
  new CredentialFault({
    code: "region_missing",
    message: `signs with AWS keys, and nothing names the region. Set "region" in "aws" of the provider, or the variable AWS_REGION.`,
  }),
)
