import { access, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Json } from "@holdfast/schema/json"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { backgroundNote, commandEnvironment, createBashTool } from "../../src/tools/bash.ts"
import { callProcesses } from "../../src/tools/call-processes.ts"
import { makeMasks } from "../../src/secrets/masks.ts"
import type { BackgroundCommand, SessionCommands } from "../../src/tools/index.ts"
import { createOutputStore } from "../../src/tools/output/output-store.ts"
import { createToolRegistry } from "../../src/tools/registry.ts"
import { runTool, temporaryDirectory, uniqueCallId, until } from "./workspace.ts"

const bash = createBashTool(process.env)
const run = async (input: Json, directory?: string) =>
  runTool(bash, input, directory ?? (await temporaryDirectory()))

describe("bash", () => {
  test("[TL3] returns both streams in order, in the directory, with empty input", async () => {
    const directory = await temporaryDirectory()
    const command = "echo a; echo b >&2; echo c; echo d >/dev/stderr; cat; pwd"
    const { result } = await run({ command }, directory)
    expect(result?.text).toBe(`a\nb\nc\nd\n${directory}\n`)
    expect(result?.structured).toEqual({ exitCode: 0, signal: null, timedOut: false, background: 0 })
  })

  test("[TL3] passes exit codes and deaths by signal on", async () => {
    const textOf = async (command: string) => (await run({ command })).result?.text
    expect(await textOf("printf no; exit 3")).toBe("no\n[exit code 3]")
    expect(await textOf("kill -KILL $$")).toBe("[exit code 137, SIGKILL]")
    expect(await textOf("kill -TERM $$")).toBe("[exit code 143, SIGTERM]")
    expect(await textOf("kill -TERM 0; echo not reached")).toBe("[exit code 143, SIGTERM]")
    expect(await textOf("nosuchcommand-x 2>/dev/null")).toBe("[exit code 127]")
    expect(await textOf("true")).toBe("(no output)")
  })

  test("[TL3] leaves signals of the command as they are by default", async () => {
    const { result } = await run({ command: "grep -E 'Sig(Ign|Cgt)' /proc/self/status; ls /proc/self/fd" })
    const ignored = BigInt(`0x${/SigIgn:\s*(\w+)/.exec(result?.text ?? "")?.[1]}`)
    const number = { hup: 1n, int: 2n, term: 15n }
    for (const signal of Object.values(number)) expect(ignored & (1n << (signal - 1n))).toBe(0n)
  })

  test("[TL3] hides the lifeline and the launcher from the command", async () => {
    const { result } = await run({ command: "readlink /proc/$$/fd/3; env | grep HOLDFAST_" })
    expect(result?.text).toMatch(/^HOLDFAST_CALL=call-[\w-]+\n$/)
  })

  test("[TL3] ends the whole tree at the timeout and keeps the output", async () => {
    const startedAt = performance.now()
    const { result } = await run({ command: "echo started; sleep 600 & sleep 600", timeoutMs: 300 })
    expect(result?.text).toBe(
      "started\n[timed out after 300 ms; the command and all it started were ended; what takes longer can run with background: true]",
    )
    expect(result?.structured).toMatchObject({ timedOut: true })
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  test("[TL3] completes at process exit while a background child holds the pipe", async () => {
    const callId = uniqueCallId()
    const directory = await temporaryDirectory()
    const registry = createToolRegistry([bash])
    const call = { callId, name: "bash", input: { command: "echo out; sleep 600 & exit 4" } }
    const startedAt = performance.now()
    const settlement = await Effect.runPromise(registry.settle(call, { directory }))
    expect(performance.now() - startedAt).toBeLessThan(3_000)
    expect(settlement.output).toBe(
      "out\n[exit code 4]\n[still running in the background: 1; ended when the runtime stops]",
    )
    expect((await Effect.runPromise(callProcesses(callId))).length).toBeGreaterThan(0)
  })

  test("keeps a background child alive that goes on writing", async () => {
    const directory = await temporaryDirectory()
    const command =
      "(while [ ! -e go ]; do sleep 0.05; done; for i in 1 2 3; do echo chatter; done; touch survived) & echo started"
    await run({ command }, directory)
    await writeFile(join(directory, "go"), "")
    const survived = () =>
      access(join(directory, "survived")).then(
        () => true,
        () => false,
      )
    await until("the child writes on", 5_000, survived)
  })

  test("leaves no process behind after an ordinary command", async () => {
    const callId = uniqueCallId()
    const call = { callId, name: "bash", input: { command: "true | cat" } }
    await Effect.runPromise(
      createToolRegistry([bash]).settle(call, { directory: await temporaryDirectory() }),
    )
    expect(await Effect.runPromise(callProcesses(callId))).toEqual([])
  })

  test("[TO1] bounds 50 MB of output in bounded memory", async () => {
    const registry = createToolRegistry([bash])
    const command = "head -c 50000000 /dev/zero | tr '\\0' x; echo; echo end"
    const before = process.memoryUsage().rss
    let peak = 0
    const settlement = await Effect.runPromise(
      registry.settle(
        { callId: uniqueCallId(), name: "bash", input: { command } },
        {
          directory: await temporaryDirectory(),
          onOutput: () => (peak = Math.max(peak, process.memoryUsage.rss())),
        },
      ),
    )
    expect(settlement.truncated).toMatchObject({ bytesTotal: 50_000_005, linesTotal: 2 })
    expect(settlement.output.endsWith("x\nend\n")).toBe(true)
    expect(Buffer.byteLength(settlement.output)).toBeLessThanOrEqual(51_200)
    expect(peak - before).toBeLessThan(150_000_000)
  })

  test("turns bytes that are no text into legal text", async () => {
    const { result } = await run({ command: "printf '\\303\\251\\377\\n'" })
    expect(result?.text).toBe("é\uFFFD\n")
  })

  test("refuses a timeout above the limit and tells of a missing directory", async () => {
    expect((await run({ command: "true", timeoutMs: 600_001 })).failure?.code).toBe("invalid_input")
    const directory = join(await temporaryDirectory(), "missing")
    expect((await run({ command: "true" }, directory)).failure?.code).toBe("launch_failed")
  })
})

test("[TL3] says of what is left in a PID namespace that later commands cannot reach it", () => {
  const outcome = { exitCode: 0, signal: null, timedOut: false, background: 2 }
  expect(backgroundNote(outcome, false)).toBe(
    "[still running in the background: 2; ended when the runtime stops]",
  )
  expect(backgroundNote(outcome, true)).toBe(
    "[still running in the background: 2; out of reach of later commands, ended when the runtime stops]",
  )
  expect(backgroundNote({ ...outcome, background: 0 }, true)).toBe(null)
})

test("[AU1 TL3] a command sees no variable whose value is a secret, whatever its name", async () => {
  const masks = makeMasks({ key: new Uint8Array(32), shapes: false })
  masks.learn(["Xk29-quite-secret-77"])
  const environment = { PATH: process.env["PATH"], LLM: "Xk29-quite-secret-77", PLAIN: "words" }
  const registry = createToolRegistry([createBashTool(environment)])
  const { output } = await Effect.runPromise(
    registry.settle(
      { callId: uniqueCallId(), name: "bash", input: { command: "echo ${LLM:-hidden} ${PLAIN:-hidden}" } },
      { directory: await temporaryDirectory(), masks },
    ),
  )
  expect(output).toBe("hidden words\n")
})

test("[TL3] keeps secrets and settings of the runtime out of the environment", () => {
  const names = ["API_KEY", "github_token", "MY_SECRET_X", "DB_PASSWORD", "AWS_CREDENTIALS", "HOLDFAST_HOME"]
  names.push("GH_PAT", "SSH_PASSPHRASE", "MYSQL_PASSWD", "NPM_AUTH", "SESSION_COOKIE", "RSA_PRIVATE")
  const environment = { ...Object.fromEntries(names.map((name) => [name, "x"])), PATH: "/bin", TERM: "xterm" }
  expect(commandEnvironment(environment, "c1")).toEqual({ PATH: "/bin", TERM: "dumb", HOLDFAST_CALL: "c1" })
})

test("[TL3] tells a command where the runtime keeps its files, as whole paths", () => {
  const folders = { HOLDFAST_DATA_DIR: "/own/data", HOLDFAST_CONFIG_DIR: "config" }
  const kept = { HOLDFAST_DATA_DIR: "/own/data", HOLDFAST_CONFIG_DIR: join(process.cwd(), "config") }
  expect(commandEnvironment({ ...folders, HOLDFAST_DEBUG: "1" }, "c1")).toMatchObject(kept)
  expect(commandEnvironment({ ...folders, HOLDFAST_DEBUG: "1" }, "c1")).not.toHaveProperty("HOLDFAST_DEBUG")
  expect(commandEnvironment({ HOLDFAST_DATA_DIR: "" }, "c1")).not.toHaveProperty("HOLDFAST_DATA_DIR")
})

describe("a background command", () => {
  test("[AU1 TL3] has its secrets masked in its file and in what is looked at", async () => {
    const directory = await temporaryDirectory()
    const secret = `ghp_${"aB3dE5gH7jK9".repeat(3)}`
    const outputs = createOutputStore(join(directory, "tool-output")).of("ses_0000000000000000000a")
    const started: BackgroundCommand[] = []
    const commands: SessionCommands = {
      start: (command) => Effect.sync(() => void started.push(command)),
      held: () => [],
      elsewhere: () => [],
    }
    const command = `printf 'key ${secret.slice(0, 20)}'; printf '${secret.slice(20)} end'`
    const settled = await Effect.runPromise(
      createToolRegistry([bash]).settle(
        { callId: uniqueCallId(), name: "bash", input: { command, background: true } },
        { directory, outputs, commands, masks: makeMasks({ key: new Uint8Array(32) }) },
      ),
    )
    expect(settled).toMatchObject({ state: "done" })
    const [held] = started
    expect(await Effect.runPromise(held?.run ?? Effect.die("none"))).toMatchObject({ exitCode: 0 })
    const shown = /^key ⟦secret:github:[0-9a-f]{8}⟧ end$/
    expect(held?.takeOutput().text).toMatch(shown)
    expect(await readFile(held?.outputFile ?? "", "utf8")).toMatch(shown)
  })
})
