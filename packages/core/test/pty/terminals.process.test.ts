/** Real terminals: what they put out and take, and how all of it ends. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { findTree } from "../../src/pty/process-tree.ts"
import { until } from "../tools/workspace.ts"
import {
  holdersOf,
  nextItem,
  noOverlay,
  openTerminals,
  pidsOf,
  readToEnd,
  readUntil,
} from "./opened-terminals.ts"
import { blankTerminal, lookAt, textOf, writeTo } from "./seen-screen.ts"

const runs = Number(process.env["HOLDFAST_PTY_RUNS"] ?? 3)
const endMaxMs = 10_000
/** For many programs at once, on a machine that does other things too. */
const manyMsMax = 120_000

const write = (terminals: Awaited<ReturnType<typeof openTerminals>>["terminals"], id: string, text: string) =>
  Effect.runPromise(terminals.write(id, Buffer.from(text)))

/** A number of seconds that no other process sleeps. */
const uniqueSleep = () => `${90_000 + Math.floor(Math.random() * 9_000)}.${process.pid}`

test(
  `[PT1] 5,000 lines are complete, with the last bytes before the exit, ${runs} times`,
  { timeout: 30_000 + runs * 2_000 },
  async () => {
    await using opened = await openTerminals()
    const expected = Array.from({ length: 5_000 }, (_, at) => `line ${at + 1}\r\n`).join("")
    for (let run = 0; run < runs; run++) {
      const id = await opened.shell("seq -f 'line %g' 5000; printf 'no line end'; exit 7")
      const { text, last } = await readToEnd(await opened.attach(id, 0))
      expect(text.length).toBe(expected.length + 11)
      expect(text === `${expected}no line end`).toBe(true)
      expect(last).toEqual({ type: "exit", cursor: text.length, code: 7, signal: null })
    }
  },
)

test("[PT1] a reader that keeps up gets 4 MB whole; one that sleeps is cut off and holds nobody", async () => {
  await using opened = await openTerminals()
  const id = await opened.shell("read go; yes 0123456789abcdef | head -c 4000000")
  const [quick, slow] = [await opened.attach(id, 0), await opened.attach(id, 0)]
  await write(opened.terminals, id, "go\n")
  const { text, last } = await readToEnd(quick)
  const body = text.slice(text.indexOf("0123"))
  expect(body === `${"0123456789abcdef\r\n".repeat(235_294)}01`).toBe(true)
  expect(last).toMatchObject({ type: "exit", code: 0 })
  expect(await nextItem(slow)).toMatchObject({ type: "cut-off", reason: { code: "reader_behind" } })
  const again = await opened.attach(id, 0)
  expect(await nextItem(again)).toMatchObject({ type: "screen", columns: 80, rows: 24 })
})

test("[PT1] a full-screen program looks the same to a second reader, also past the buffer", async () => {
  await using opened = await openTerminals()
  const program = fileURLToPath(new URL("full-screen-program.ts", import.meta.url))
  const created = Effect.runPromise(
    opened.terminals.create({ directory: tmpdir(), argv: [process.execPath, program] }, noOverlay),
  )
  const { id } = await created
  const size = { columns: 80, rows: 24 }
  const first = await opened.attach(id, 0)
  const early = blankTerminal(size)
  /** The first reader reads on until its screen says so. */
  const seen = async (title: string) => {
    while (!textOf(early).some((line) => line.includes(title))) {
      const item = await nextItem(first)
      if (item.type === "output") await writeTo(early, item.data)
    }
  }
  await seen("begun")
  const second = await opened.attach(id, null)
  const late = blankTerminal(size)
  const screen = await nextItem(second)
  if (screen.type === "screen") await writeTo(late, screen.data)
  expect([screen.type, lookAt(late)]).toEqual(["screen", lookAt(early)])

  await write(opened.terminals, id, "x")
  await seen("x 1 of 1")
  const change = await nextItem(second)
  if (change.type === "output") await writeTo(late, change.data)
  expect(lookAt(late)).toEqual(lookAt(early))

  await write(opened.terminals, id, "f")
  await seen("f 1500 of 1500")
  const third = await opened.attach(id, 0)
  const latest = blankTerminal(size)
  const past = await nextItem(third)
  if (past.type === "screen") await writeTo(latest, past.data)
  expect([past.type, lookAt(latest)]).toEqual(["screen", lookAt(early)])
  expect((await Effect.runPromise(opened.terminals.get(id))).title).toBe("f 1500 of 1500")

  await write(opened.terminals, id, "q")
  for (const [attachment, terminal] of [
    [first, early],
    [third, latest],
  ] as const) {
    for (let item = await nextItem(attachment); item.type !== "exit"; item = await nextItem(attachment))
      if (item.type === "output") await writeTo(terminal, item.data)
  }
  expect(textOf(latest)).toContain("left")
  expect(lookAt(latest)).toEqual(lookAt(early))
})

test("[PT1] takes input and a size, and tells both of them to the program", async () => {
  await using opened = await openTerminals()
  const id = await opened.shell(
    "trap 'stty size' WINCH; echo ready; while read line; do echo got $line; done",
  )
  const attachment = await opened.attach(id, 0)
  await readUntil(attachment, "ready")
  await write(opened.terminals, id, "höchst\r")
  await readUntil(attachment, "got höchst")
  const resized = await Effect.runPromise(opened.terminals.resize(id, { columns: 100, rows: 40 }))
  expect(resized).toMatchObject({ columns: 100, rows: 40 })
  expect(await nextItem(attachment)).toEqual({ type: "resized", columns: 100, rows: 40 })
  await write(opened.terminals, id, "\r")
  await readUntil(attachment, "40 100")
  await write(opened.terminals, id, "\u0004")
  expect((await readToEnd(attachment)).last).toMatchObject({ type: "exit", code: 0 })
  await expect(write(opened.terminals, id, "x")).rejects.toMatchObject({ _tag: "PtyEnded" })
})

test("[PT1] a program that reads nothing holds neither its host nor another terminal", async () => {
  await using opened = await openTerminals()
  const deaf = await opened.shell("stty -icanon -echo; echo ready; exec sleep 600")
  await readUntil(await opened.attach(deaf, 0), "ready")
  for (let sent = 0; sent < 4; sent++) await write(opened.terminals, deaf, "x".repeat(200_000))
  await expect(write(opened.terminals, deaf, "x".repeat(400_000))).rejects.toMatchObject({
    _tag: "PtyRefused",
    code: "input",
  })
  const other = await opened.shell("echo alive; exit 0")
  expect((await readToEnd(await opened.attach(other, 0))).text).toBe("alive\r\n")
})

test("[PT1] tells a signal by its name, and refuses a program that is not there", async () => {
  await using opened = await openTerminals()
  const id = await opened.shell("kill -9 $$")
  expect((await readToEnd(await opened.attach(id, 0))).last).toMatchObject({ code: null, signal: "SIGKILL" })
  for (const program of ["no-such-program", "/etc/passwd", "/nothing/here", "."]) {
    const created = Effect.runPromise(opened.terminals.create({ directory: "/", argv: [program] }, noOverlay))
    await expect(created).rejects.toMatchObject({ _tag: "PtyRefused", code: "program" })
  }
})

test(
  "[PT1] 32 may run at once; of those that have ended, the oldest of more than 16 are closed",
  {
    timeout: manyMsMax,
  },
  async () => {
    await using opened = await openTerminals()
    const start = () => opened.shell("echo ready; exec sleep 600")
    const running = await Promise.all(Array.from({ length: 32 }, start))
    await expect(opened.shell("true")).rejects.toMatchObject({ _tag: "PtyRefused", code: "too_many" })
    for (const id of running.slice(0, 18)) {
      const attachment = await opened.attach(id, 0)
      // Before it runs, Ctrl-C reaches nobody.
      await readUntil(attachment, "ready")
      await write(opened.terminals, id, "\u0003")
      await readToEnd(attachment)
    }
    const exited = () => opened.terminals.list().filter(({ pty }) => pty.exit !== null)
    expect(exited()).toHaveLength(18)
    const next = await opened.shell("exec sleep 600")
    expect(exited().map(({ pty }) => pty.id)).toEqual(running.slice(2, 18))
    expect(opened.terminals.list().at(-1)?.pty.id).toBe(next)
  },
)

test("[PT1] has the environment that it was given, and no secret of the server", async () => {
  const { PATH } = process.env
  await using opened = await openTerminals({ PATH, MY_SECRET: "x", KEPT: "own", OTHER: "own", TERM: "dumb" })
  const created = opened.terminals.create(
    { directory: "/", argv: ["env"], env: { KEPT: "given", OTHER: "given" } },
    (directory) => Effect.succeed({ OTHER: `overlay of ${directory}` }),
  )
  const { id } = await Effect.runPromise(created)
  const { text } = await readToEnd(await opened.attach(id, 0))
  const variables = new Map(text.split("\r\n").map((line) => line.split(/=(.*)/s) as [string, string]))
  expect(Object.fromEntries(variables)).toMatchObject({
    KEPT: "given",
    OTHER: "overlay of /",
    TERM: "xterm-256color",
    HOLDFAST_TERMINAL: id,
  })
  expect(text).not.toContain("SECRET")
})

test("[PT1] closing ends the whole tree, and with the last terminal its host", async () => {
  await using opened = await openTerminals()
  const seconds = uniqueSleep()
  const stubborn = `trap '' HUP TERM; setsid sleep ${seconds} & env -i /bin/sh -c "trap '' HUP TERM; sleep ${seconds}" & sleep ${seconds}`
  const id = await opened.shell(stubborn)
  const attachment = await opened.attach(id, 0)
  await until("the tree is there", endMaxMs, async () => (await pidsOf(seconds)).length >= 5)
  await Effect.runPromise(opened.terminals.close(id))
  expect(await pidsOf(seconds)).toEqual([])
  expect(await nextItem(attachment)).toMatchObject({ type: "exit", code: null, signal: "SIGKILL" })
  await expect(Effect.runPromise(opened.terminals.get(id))).rejects.toMatchObject({ _tag: "PtyNotFound" })
  expect(await holdersOf(process.pid)).toEqual([])
})

test("[PT1] what was left in the background ends with the terminal, and all of it with the runtime", async () => {
  const opened = await openTerminals()
  const seconds = uniqueSleep()
  const left = await opened.shell(`nohup sleep ${seconds} >/dev/null 2>&1 & sleep 0.1; exit 0`)
  expect((await readToEnd(await opened.attach(left, 0))).last).toMatchObject({ type: "exit", code: 0 })
  await opened.shell(`sleep ${seconds}; echo`)
  await until("both are there", endMaxMs, async () => (await pidsOf(seconds)).length >= 2)
  await opened.close()
  expect(await pidsOf(seconds)).toEqual([])
  expect(await holdersOf(process.pid)).toEqual([])
  const late = opened.shell("true")
  await expect(late).rejects.toMatchObject({ _tag: "PtyUnavailable" })
})

test("[PT1] a runtime that dies of SIGKILL leaves nothing of its terminals", async () => {
  const seconds = uniqueSleep()
  const program = fileURLToPath(new URL("runtime-with-terminal.ts", import.meta.url))
  const command = `setsid sleep ${seconds} & sleep ${seconds}; sleep ${seconds}`
  const runtime = spawn(process.execPath, [program, command], { stdio: ["ignore", "pipe", "inherit"] })
  const [said] = (await once(runtime.stdout, "data")) as [Buffer]
  const root = { id: said.toString().trim(), leader: null, group: null }
  await until("the tree is there", endMaxMs, async () => (await findTree(root)).length >= 3)
  runtime.kill("SIGKILL")
  await until("the tree is gone", endMaxMs, async () => (await findTree(root)).length === 0)
  expect(await pidsOf(seconds)).toEqual([])
})

test("[PT1] a host that dies ends its terminals and nothing else, and the next gets another", async () => {
  await using opened = await openTerminals()
  const seconds = uniqueSleep()
  const id = await opened.shell(`echo first; trap '' HUP; sleep ${seconds}; sleep ${seconds}`)
  const attachment = await opened.attach(id, 0)
  await readUntil(attachment, "first")
  const [host = 0, ...more] = await holdersOf(process.pid)
  expect(more).toEqual([])
  process.kill(host, "SIGKILL")
  expect((await readToEnd(attachment)).last).toMatchObject({ type: "exit", code: null, signal: null })
  await until("the tree is gone", endMaxMs, async () => (await pidsOf(seconds)).length === 0)
  const late = await opened.attach(id, null)
  expect(await nextItem(late)).toMatchObject({ type: "screen", cursor: 0 })
  expect((await readToEnd(late)).text).toBe("first\r\n")
  const next = await opened.shell("echo second")
  expect((await readToEnd(await opened.attach(next, 0))).text).toBe("second\r\n")
})
