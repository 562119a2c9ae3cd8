/** Commands whose children hide, by each way in which this machine lets their processes be found. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { readFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Fiber } from "effect"
import { afterAll, describe, expect, test, type TestContext } from "vitest"
import { callProcesses, endCallProcesses } from "../../src/tools/call-processes.ts"
import {
  chooseContainment,
  type Containment,
  type ContainmentKind,
  tryContainment,
} from "../../src/tools/containment.ts"
import { groupsOfCall } from "../../src/tools/control-groups.ts"
import { type CommandRequest, runCommand } from "../../src/tools/launcher.ts"
import { temporaryDirectory, uniqueCallId, until } from "./workspace.ts"

/** Which ways there are here, and what each lets a child do without losing it. */
const ways: readonly {
  kind: ContainmentKind
  containment: Containment | null
  clears: string
  lacks: string
}[] = [
  {
    kind: "group",
    containment: await tryContainment("group"),
    clears: "env -i",
    lacks: "this process may not make a control group below its own",
  },
  {
    kind: "namespace",
    containment: await tryContainment("namespace"),
    clears: "env -i",
    lacks: "this process may not make a PID namespace, or util-linux lacks",
  },
  { kind: "mark", containment: await tryContainment("mark"), clears: "env", lacks: "" },
]

const hidingPlaces: string[] = []

afterAll(async () => {
  for (const directory of hidingPlaces.splice(0)) {
    for (const pid of await hiddenIn(directory)) kill(pid)
  }
})

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // ESRCH: it went with another, as the processes of a namespace do.
  }
}

/** Pids of the children that were hidden from this directory, as this process sees them. */
async function hiddenIn(directory: string): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger)
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")))
  return pids.filter((_, at) => lines[at]?.startsWith(`tail\0-f\0${directory}/`))
}

/** Leaves its parent, its session and, where the way allows it, its environment; then `after` runs. */
async function hiding(clears: string, after: string) {
  const directory = await temporaryDirectory()
  hidingPlaces.push(directory)
  const child = `touch ${directory}/hidden; exec tail -f ${directory}/hidden`
  const command = [
    `(setsid ${clears} /bin/sh -c '${child}' >/dev/null 2>&1 &)`,
    `until [ -e ${directory}/hidden ]; do sleep 0.02; done; echo ready; ${after}`,
  ].join("\n")
  return { directory, command }
}

const waitsForHidden = (directory: string) =>
  until("the child hides", 20_000, async () => (await hiddenIn(directory)).length === 1)
const goneWithin = (directory: string, deadlineMs: number) =>
  until("the hidden child is gone", deadlineMs, async () => (await hiddenIn(directory)).length === 0)

const request = (over: Pick<CommandRequest, "command" | "directory" | "callId">) => ({
  env: process.env,
  timeoutMs: 60_000,
  onOutput: () => {},
  ...over,
})

// Beside each other: most of the time they wait for a grace period or a time limit.
describe.concurrent.for(ways)("$kind", ({ kind, containment, clears, lacks }) => {
  const way = containment ?? { kind: "mark" as const }
  // What the mark finds, it finds in one way whatever ends the call: an interrupt and a death show it.
  const hidingTest: (title: string, run: (context: TestContext) => Promise<void>) => void =
    kind === "mark" ? () => {} : test

  const startRuntime = (callId: string, directory: string, command: string) => {
    const fixture = fileURLToPath(new URL("runtime-fixture.ts", import.meta.url))
    const args = [fixture, callId, directory, command, kind]
    return spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })
  }

  test("[DR3] an interrupt leaves no child that hides and ignores TERM", async ({ skip }) => {
    skip(containment === null, lacks)
    const callId = uniqueCallId()
    const { directory, command } = await hiding(clears, "sleep 600")
    const stubborn = `trap '' TERM; ${command}`
    const fiber = Effect.runFork(
      runCommand({ ...request({ callId, directory, command: stubborn }), containment: way }),
    )
    await waitsForHidden(directory)
    const startedAt = performance.now()
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(await hiddenIn(directory)).toEqual([])
    expect(await Effect.runPromise(callProcesses(callId))).toEqual([])
    expect(await groupsOfCall(callId)).toEqual([])
  })

  hidingTest("[TL3] the timeout leaves no child that hides", async ({ skip }) => {
    skip(containment === null, lacks)
    const { directory, command } = await hiding(clears, "sleep 600")
    const asked = request({ callId: uniqueCallId(), directory, command })
    const outcome = await Effect.runPromise(runCommand({ ...asked, containment: way, timeoutMs: 4_000 }))
    expect(outcome.timedOut).toBe(true)
    expect(existsSync(join(directory, "hidden"))).toBe(true)
    expect(await hiddenIn(directory)).toEqual([])
  })

  hidingTest(
    "[TL3] a child that hides lives on in the background, and ends with the runtime",
    async ({ skip }) => {
      skip(containment === null, lacks)
      const callId = uniqueCallId()
      const { directory, command } = await hiding(clears, "exit 3")
      const runtime = startRuntime(callId, directory, command)
      let told = ""
      runtime.stdout.on("data", (bytes: Buffer) => (told += bytes.toString()))
      await until("the call is over", 20_000, () => told.includes("}"))
      expect(told).toContain('{"exitCode":3,"signal":null,"timedOut":false,"background":1}')
      expect(await hiddenIn(directory)).toHaveLength(1)
      runtime.stdin.end()
      await once(runtime, "exit")
      await goneWithin(directory, 5_000)
      await until("its group is gone", 5_000, async () => (await groupsOfCall(callId)).length === 0)
    },
  )

  test("[DR3] the lifeline leaves no child that hides after SIGKILL of the runtime", async ({ skip }) => {
    skip(containment === null, lacks)
    const callId = uniqueCallId()
    const { directory, command } = await hiding(clears, "sleep 600")
    const runtime = startRuntime(callId, directory, command)
    await waitsForHidden(directory)
    runtime.kill("SIGKILL")
    await once(runtime, "exit")
    await goneWithin(directory, 5_000)
    await until("its group is gone", 5_000, async () => (await groupsOfCall(callId)).length === 0)
  })

  hidingTest(
    "[DR4] recovery leaves no child that hides when launcher and runtime were killed",
    async ({ skip }) => {
      skip(containment === null, lacks)
      const callId = uniqueCallId()
      const { directory, command } = await hiding(clears, "sleep 600")
      await killedWithLauncher(startRuntime(callId, directory, command), callId, directory)
      await Effect.runPromise(endCallProcesses(callId))
      await goneWithin(directory, 5_000)
      expect(await groupsOfCall(callId)).toEqual([])
    },
  )

  test("[TL3] exit codes, deaths by signal and output are the same", async ({ skip }) => {
    skip(containment === null, lacks)
    const directory = await temporaryDirectory()
    const run = async (command: string) => {
      let output = ""
      const asked = request({ callId: uniqueCallId(), directory, command })
      const told = { ...asked, containment: way, onOutput: (text: string) => (output += text) }
      const { exitCode, background } = await Effect.runPromise(runCommand(told))
      return [exitCode, background, output]
    }
    expect(await run("echo a; echo b >&2; pwd; exit 3")).toEqual([3, 0, `a\nb\n${directory}\n`])
    expect(await run("kill -KILL $$")).toEqual([137, 0, ""])
    expect(await run("kill -TERM 0; echo not reached")).toEqual([143, 0, ""])
    expect(await run("env | grep HOLDFAST_ | cut -d= -f1")).toEqual([0, 0, "HOLDFAST_CALL\n"])
  })
})

/** Nothing of ours is left that could end the child: no runtime, no launcher, no watcher. */
async function killedWithLauncher(
  runtime: ReturnType<typeof spawn>,
  callId: string,
  directory: string,
): Promise<void> {
  await waitsForHidden(directory)
  const hidden = await hiddenIn(directory)
  const ours = (await Effect.runPromise(callProcesses(callId))).filter((pid) => !hidden.includes(pid))
  runtime.kill("SIGSTOP")
  for (const pid of ours) kill(pid)
  runtime.kill("SIGKILL")
  await once(runtime, "exit")
}

test("[DR4] the next start ends the groups of runtimes that were killed, and no others", async ({ skip }) => {
  const group = ways[0]?.containment ?? null
  skip(group === null, ways[0]?.lacks ?? "")
  const fixture = fileURLToPath(new URL("runtime-fixture.ts", import.meta.url))
  const [dead, alive] = [uniqueCallId(), uniqueCallId()]
  const places = await Promise.all([hiding("env -i", "sleep 600"), hiding("env -i", "sleep 600")])
  const [first, second] = places.map(({ directory, command }, at) =>
    spawn(process.execPath, [fixture, at === 0 ? dead : alive, directory, command, "group"], {
      stdio: ["ignore", "pipe", "inherit"],
    }),
  )
  if (first === undefined || second === undefined) throw new Error("Both are started above.")
  await waitsForHidden(places[1].directory)
  await killedWithLauncher(first, dead, places[0].directory)
  expect(await hiddenIn(places[0].directory)).toHaveLength(1)
  await chooseContainment(true)
  expect(await hiddenIn(places[0].directory)).toEqual([])
  expect(await groupsOfCall(dead)).toEqual([])
  expect(await hiddenIn(places[1].directory)).toHaveLength(1)
  second.kill("SIGKILL")
  await once(second, "exit")
})
