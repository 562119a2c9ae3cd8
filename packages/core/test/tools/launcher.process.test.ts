import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { Effect, Fiber } from "effect"
import { describe, expect, test } from "vitest"
import { createBashTool } from "../../src/tools/bash.ts"
import { callProcesses, endCallProcesses } from "../../src/tools/call-processes.ts"
import { runCommand } from "../../src/tools/launcher.ts"
import { createToolRegistry } from "../../src/tools/registry.ts"
import { temporaryDirectory, uniqueCallId, until } from "./workspace.ts"

/** Ignores TERM in the group, in a session of its own, and as an orphan; prints one line per loop. */
const stubbornTree = [
  "trap '' TERM",
  "setsid sh -c 'trap \"\" TERM; echo in-session; while :; do sleep 1; done' &",
  "(sh -c 'trap \"\" TERM; echo orphan; while :; do sleep 1; done' &)",
  "echo leader",
  "while :; do sleep 1; done",
].join("\n")
const startedLines = ["in-session", "orphan", "leader"]

const pidsOf = (callId: string) => Effect.runPromise(callProcesses(callId))
const goneWithin = (callId: string, deadlineMs: number) =>
  until("the tree is gone", deadlineMs, async () => (await pidsOf(callId)).length === 0)

// Beside each other: most of the time they wait for a grace period.
describe.concurrent("interrupt", () => {
  test("[DR3] ends a tree that ignores TERM and left the group within 5 s, partial output kept", async () => {
    const callId = uniqueCallId()
    const directory = await temporaryDirectory()
    let output = ""
    const program = Effect.gen(function* () {
      const registry = createToolRegistry([createBashTool(process.env)])
      const call = { callId, name: "bash", input: { command: stubbornTree } }
      const running = yield* registry.start(call, { directory, onOutput: (text) => (output += text) })
      yield* Effect.promise(() =>
        until("the tree runs", 10_000, () => startedLines.every((line) => output.includes(line))),
      )
      const startedAt = performance.now()
      const settlement = yield* running.interrupt
      return { settlement, tookMs: performance.now() - startedAt }
    })
    const { settlement, tookMs } = await Effect.runPromise(Effect.scoped(program))
    expect(await pidsOf(callId)).toEqual([])
    expect(tookMs).toBeLessThan(5_000)
    expect(settlement.state).toBe("interrupted")
    for (const line of startedLines) expect(settlement.output).toContain(line)
    expect(settlement.output.endsWith("\n[interrupted]")).toBe(true)
  })

  test("[DR3] lets a command end by its own TERM handler and keeps what it says", async () => {
    const callId = uniqueCallId()
    let output = ""
    const fiber = Effect.runFork(
      runCommand({
        command: "trap 'echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.05; done",
        directory: await temporaryDirectory(),
        env: process.env,
        callId,
        timeoutMs: 60_000,
        onOutput: (text) => (output += text),
      }),
    )
    await until("it is ready", 10_000, () => output.includes("ready"))
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(output.endsWith("cleaned\n")).toBe(true)
    expect(await pidsOf(callId)).toEqual([])
  })

  test("[DR3] ends the tree also when the command stopped its launcher", async () => {
    const callId = uniqueCallId()
    let output = ""
    const request = {
      command: "echo ready; kill -STOP 0; sleep 600",
      directory: await temporaryDirectory(),
      env: process.env,
      callId,
      timeoutMs: 60_000,
      onOutput: (text: string) => (output += text),
    }
    const fiber = Effect.runFork(runCommand(request))
    await until("everything is stopped", 10_000, async () => {
      const states = (await pidsOf(callId)).map((pid) =>
        readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""),
      )
      const stopped = (await Promise.all(states)).filter((state) => / T \d/.test(state))
      return stopped.length >= 4
    })
    const startedAt = performance.now()
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(await pidsOf(callId)).toEqual([])
  })
})

test("[TL3] ends what left the group of a command that killed its own launcher", async () => {
  const callId = uniqueCallId()
  const outcome = await Effect.runPromise(
    runCommand({
      command: "setsid sh -c 'echo > left; exec sleep 600' & until test -e left; do :; done; kill -KILL 0",
      directory: await temporaryDirectory(),
      env: process.env,
      callId,
      timeoutMs: 60_000,
      onOutput: () => {},
    }),
  )
  expect(outcome).toMatchObject({ exitCode: null, signal: "SIGKILL", timedOut: false })
  expect(await pidsOf(callId)).toEqual([])
})

describe.concurrent("death of the runtime", () => {
  const startRuntime = async (callId: string, command: string) => {
    const fixture = fileURLToPath(new URL("runtime-fixture.ts", import.meta.url))
    const args = [fixture, callId, await temporaryDirectory(), command]
    return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  }

  test("[DR3] ends the tree within 5 s after the runtime died of SIGKILL", async () => {
    const callId = uniqueCallId()
    const runtime = await startRuntime(callId, stubbornTree)
    let output = ""
    runtime.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()))
    await until("the tree runs", 15_000, () => startedLines.every((line) => output.includes(line)))
    expect((await pidsOf(callId)).length).toBeGreaterThan(4)
    runtime.kill("SIGKILL")
    await once(runtime, "exit")
    await goneWithin(callId, 5_000)
  })

  test("[DR4] recovery ends what is left of a call of another process", async () => {
    const callId = uniqueCallId()
    const runtime = await startRuntime(callId, "echo leader; sleep 600")
    await once(runtime.stdout, "data")
    await Effect.runPromise(endCallProcesses(callId))
    expect(await pidsOf(callId)).toEqual([])
    await once(runtime, "exit")
  })
})

test("finds only processes of exactly the call named", async () => {
  const callId = uniqueCallId()
  const longer = `${callId}0`
  const child = spawn("sleep", ["600"], { env: { HOLDFAST_CALL: longer }, stdio: "ignore" })
  await once(child, "spawn")
  expect(await pidsOf(callId)).toEqual([])
  expect(await pidsOf(longer)).toEqual([child.pid])
  await Effect.runPromise(endCallProcesses(longer))
})

test("refuses a call id that could not be found again", async () => {
  const request = { command: "true", directory: ".", env: {}, timeoutMs: 1_000, onOutput: () => {} }
  for (const callId of ["", "a b", "a\n", "x".repeat(201)]) {
    const failure = await Effect.runPromise(Effect.flip(runCommand({ ...request, callId })))
    expect(failure._tag).toBe("LaunchFailure")
  }
})
