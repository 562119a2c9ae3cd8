/** Where a key may come from, and what is said when it cannot be had: real files, real commands. */
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted, Result } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { commandKeyMs, keyBytesMax, makeCredentials } from "../../src/config/credentials/credentials.ts"
import { runKeyCommand } from "../../src/config/credentials/key-command.ts"
import type { ProviderKey } from "../../src/config/settings.ts"
import { onClock } from "./fixed-clock.ts"

const canary = "canary-3f9c1e"
const environment = { PATH: process.env["PATH"], MINE: ` ${canary} `, BLANK: " " }
let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "holdfast-keys-"))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const read = (key: ProviderKey) =>
  Effect.runPromise(Effect.result(makeCredentials(environment).read(key, "speak")))

async function fault(key: ProviderKey) {
  const found = await read(key)
  if (Result.isSuccess(found)) throw new Error("It was read.")
  expect(found.failure.message).not.toContain(canary)
  return found.failure
}

test.each<readonly [string, ProviderKey]>([
  ["a value", { kind: "value", value: Redacted.make(canary) }],
  ["a variable", { kind: "variable", name: "MINE" }],
  ["a command", { kind: "command", argv: ["printf", `${canary}\\n`] }],
])("%s gives the key", async (_, key) => expect(await read(key)).toEqual(Result.succeed(canary)))

test("no key is asked for: there is none", async () =>
  expect(await read({ kind: "none" })).toEqual(Result.succeed(null)))

test.each([
  ["that is there", ["sh", "-c", "exit 1"], true],
  ["by its path", [process.execPath], true],
  ["that is not there", ["no-such-command"], false],
  ["that is a folder", ["/tmp"], false],
])("[AU1] a command %s is described without being run", async (_, argv, found) => {
  const asked = makeCredentials(environment).read({ kind: "command", argv }, "describe")
  const described = await Effect.runPromise(Effect.result(asked))
  expect(Result.isSuccess(described)).toBe(found)
  if (Result.isFailure(described)) expect(described.failure.code).toBe("command_not_started")
})

test("[AU1] a variable that is not set is a fault that names it", async () =>
  expect(await fault({ kind: "variable", name: "BLANK" })).toMatchObject({
    code: "variable_unset",
    message: expect.stringContaining("BLANK"),
  }))

describe("a key file", () => {
  const file = async (name: string, text: string, mode: number) => {
    const path = join(root, name)
    await writeFile(path, text)
    await chmod(path, mode)
    return path
  }

  test.each([0o600, 0o400])("of mode %o is read", async (mode) => {
    const path = await file(`sound-${mode}`, `${canary}\n`, mode)
    expect(await read({ kind: "file", path })).toEqual(Result.succeed(canary))
  })

  test("behind a link is judged by where the link leads", async () => {
    const path = join(root, "link")
    await symlink(await file("target", canary, 0o600), path)
    expect(await read({ kind: "file", path })).toEqual(Result.succeed(canary))
    await chmod(join(root, "target"), 0o640)
    expect(await fault({ kind: "file", path })).toMatchObject({ code: "file_open" })
  })

  test.each([0o644, 0o640, 0o604, 0o660, 0o700, 0o4600])(
    "[AU1] of mode %o is refused, and the remedy is told",
    async (mode) => {
      const path = await file(`open-${mode}`, canary, mode)
      const { code, message } = await fault({ kind: "file", path })
      expect(code).toBe("file_open")
      expect(message).toContain(`mode ${mode.toString(8)}. Run: chmod 600 ${path}`)
    },
  )

  test.each([
    ["empty", " \n", "key_empty"],
    ["of two words", `${canary} and more`, "key_malformed"],
    ["with a line inside", `${canary}\nx-other: header`, "key_malformed"],
    ["too long", "k".repeat(keyBytesMax + 1), "key_malformed"],
  ])("[AU1] %s is refused", async (name, text, code) => {
    const path = await file(name.replaceAll(" ", "-"), text, 0o600)
    expect((await fault({ kind: "file", path })).code).toBe(code)
  })

  test("[AU1] that is none is refused", async () => {
    const path = join(root, "directory")
    await mkdir(path)
    expect((await fault({ kind: "file", path })).code).toBe("file_not_regular")
    expect((await fault({ kind: "file", path: join(root, "nothing") })).code).toBe("file_missing")
    await Effect.runPromise(runKeyCommand(["mkfifo", "-m", "600", join(root, "pipe")], environment, 9))
    expect((await fault({ kind: "file", path: join(root, "pipe") })).code).toBe("file_not_regular")
  })
})

describe("a command", () => {
  test("is run without a shell", async () =>
    expect(await read({ kind: "command", argv: ["printf", "%s", "$HOME;id"] })).toEqual(
      Result.succeed("$HOME;id"),
    ))

  test("is not run to describe a model", async () => {
    const mark = join(root, "described")
    const key: ProviderKey = { kind: "command", argv: ["touch", mark] }
    await Effect.runPromise(makeCredentials(environment).read(key, "describe"))
    await expect(readFile(mark)).rejects.toThrow("ENOENT")
  })

  test.each<readonly [string, readonly string[], string]>([
    ["fails", ["sh", "-c", `echo ${canary} >&2; echo ${canary}; exit 3`], "command_failed"],
    ["is not there", ["no-such-command-here"], "command_not_started"],
    ["says nothing", ["true"], "key_empty"],
    ["never stops", ["yes", canary], "key_malformed"],
  ])("[AU1] that %s is a fault without what it said", async (_, argv, code) =>
    expect((await fault({ kind: "command", argv })).code).toBe(code),
  )

  test("has a time limit, and nothing of it outlives that", async () => {
    const pidFile = join(root, "pid")
    const argv = ["sh", "-c", `sleep 600 & echo $! > ${pidFile}; wait`]
    const ended = await Effect.runPromise(Effect.result(runKeyCommand(argv, environment, 9, 500)))
    expect(Result.isFailure(ended) && ended.failure.code).toBe("command_slow")
    const child = Number(await readFile(pidFile, "utf8"))
    await expect.poll(() => isAlive(child), { timeout: 5_000 }).toBe(false)
  })

  test("is asked once for a while, then again, and at once when its key was refused", async () => {
    const runs = join(root, "runs")
    const script = `echo x >> ${runs}; printf key-; wc -l < ${runs} | tr -d ' '`
    const key: ProviderKey = { kind: "command", argv: ["sh", "-c", script] }
    const { read: ask, renew } = makeCredentials(environment)
    const at = (ms: number) => Effect.runPromise(onClock(ask(key, "speak"), ms))
    expect([await at(0), await at(commandKeyMs - 1)]).toEqual(["key-1", "key-1"])
    expect(await at(commandKeyMs + 60_000)).toBe("key-2")
    const refuse = (refused: string) => Effect.runPromise(onClock(renew(key, refused), commandKeyMs + 60_000))
    expect(await refuse("key-2")).toBe("key-3")
    // Whoever was refused with the older key gets the one that is known by now.
    expect(await refuse("key-2")).toBe("key-3")
  })

  test("that gives the same key again is not worth another attempt", async () => {
    const key: ProviderKey = { kind: "command", argv: ["printf", canary] }
    expect(await Effect.runPromise(makeCredentials(environment).renew(key, canary))).toBeNull()
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false // ESRCH: it is gone
  }
}
