/**
 * Credentials: from where a key is said to be, to the key (AU1).
 *
 * A key lives in memory, in the header of a request, and nowhere else. What cannot be read is a
 * fault that names the place and says what to do; it quotes nothing of what was found there. The
 * output of a command is kept for a while, so that not every turn asks a password manager.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { Clock, Effect, Redacted, Semaphore } from "effect"
import { CredentialFault, type CredentialFaultCode } from "./credential-fault.ts"
import type { Environment } from "./directories.ts"
import { runKeyCommand } from "./key-command.ts"
import type { ProviderKey } from "./settings.ts"

/** Speaking needs the key; describing only that it could be had, and runs no command for it. */
export type Purpose = "speak" | "describe"

export interface Credentials {
  readonly read: (key: ProviderKey, purpose: Purpose) => Effect.Effect<string, CredentialFault>
  /** A key other than the one that was refused, or null: of a file or a command it may have changed. */
  readonly renew: (key: ProviderKey, refused: string) => Effect.Effect<string | null>
}

/** How long the output of a command is taken for the key. */
export const commandKeyMs = 900_000
export const keyBytesMax = 16_384
/** Said to a server that asks for no key: some refuse an empty header. */
const keyless = "none"

export function makeCredentials(environment: Environment): Credentials {
  const kept = new Map<string, { readonly value: Redacted.Redacted; readonly until: number }>()
  // One at a time: two questions of a password manager at once confuse people.
  const turn = Semaphore.makeUnsafe(1)

  const ask = Effect.fnUntraced(function* (argv: readonly string[]) {
    const name = JSON.stringify(argv)
    const known = kept.get(name)
    if (known !== undefined && (yield* Clock.currentTimeMillis) < known.until)
      return Redacted.value(known.value)
    const value = yield* legalKey(
      yield* runKeyCommand(argv, environment, keyBytesMax),
      `the command ${argv[0]}`,
    )
    kept.set(name, {
      value: Redacted.make(value),
      until: (yield* Clock.currentTimeMillis) + commandKeyMs,
    })
    return value
  })

  const read: Credentials["read"] = (key, purpose) => {
    switch (key.kind) {
      case "none":
        return Effect.succeed(keyless)
      case "value":
        return legalKey(Redacted.value(key.value), "the configuration")
      case "variable":
        return readVariable(key.name, environment)
      case "file":
        return Effect.suspend(() => readKeyFile(key.path))
      case "command":
        return purpose === "describe" ? Effect.succeed("") : turn.withPermits(1)(ask(key.argv))
    }
  }

  return {
    read,
    renew: (key, refused) => {
      if (key.kind !== "file" && key.kind !== "command") return Effect.succeed(null)
      const forget = Effect.sync(() => {
        const name = key.kind === "command" ? JSON.stringify(key.argv) : ""
        const known = kept.get(name)
        // Another Session may have asked anew already.
        if (known !== undefined && Redacted.value(known.value) === refused) kept.delete(name)
      })
      return Effect.andThen(forget, read(key, "speak")).pipe(
        Effect.map((fresh) => (fresh === refused ? null : fresh)),
        // The refusal of the provider is what the person has to hear of.
        Effect.orElseSucceed(() => null),
      )
    },
  }
}

function readVariable(name: string, environment: Environment): Effect.Effect<string, CredentialFault> {
  const value = (environment[name] ?? "").trim()
  if (value !== "") return legalKey(value, `the variable ${name}`)
  return fault("variable_unset", `from the variable ${name}, which is not set. Set it, then try again.`)
}

/** Opened once and judged by what was opened, so that nothing can change in between. */
function readKeyFile(path: string): Effect.Effect<string, CredentialFault> {
  let descriptor: number | null = null
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer and stop the whole process.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(descriptor)
    const from = `from the file ${path}, which`
    if (!stats.isFile()) return fault("file_not_regular", `${from} is no regular file.`)
    if (process.getuid !== undefined && stats.uid !== process.getuid())
      return fault("file_foreign", `${from} belongs to another user. Make a file of your own.`)
    const mode = stats.mode & 0o7777
    if (process.getuid !== undefined && (mode & ~0o600) !== 0)
      return fault("file_open", `${from} has mode ${mode.toString(8)}. Run: chmod 600 ${path}`)
    const bytes = Buffer.alloc(keyBytesMax + 1)
    const length = readSync(descriptor, bytes, 0, bytes.length, 0)
    return legalKey(bytes.toString("utf8", 0, length), `the file ${path}`)
  } catch (thrown) {
    // Whatever the system says, the key cannot be had; its code tells the person why.
    const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error"
    return code === "ENOENT"
      ? fault("file_missing", `from the file ${path}, which is not there.`)
      : fault("file_unreadable", `from the file ${path}, which cannot be read (${code}).`)
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
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
