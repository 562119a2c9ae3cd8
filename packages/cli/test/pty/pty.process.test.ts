/** `holdfast pty` as a person uses it: a terminal of the server inside a terminal of their own. */
import { realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { spawn } from "@lydell/node-pty"
import { afterAll, beforeAll, expect, test } from "vitest"
import { makePlace, type Place, terminalEnvironment } from "../place.ts"

const launcher = join(import.meta.dirname, "../../bin/holdfast.js")
let place: Place

beforeAll(async () => {
  place = await makePlace()
  const serving = place.start(["serve", "--json"])
  await serving.prints("}\n")
})
afterAll(() => place[Symbol.asyncDispose]())

/** A command in a terminal; each step waits for what is printed, and then types. */
async function type(args: readonly string[], steps: readonly (readonly [seen: string, keys: string])[]) {
  const child = spawn(process.execPath, [launcher, ...args], {
    cols: 80,
    rows: 24,
    cwd: place.project,
    env: terminalEnvironment(place),
  })
  const left = [...steps]
  let printed = ""
  child.onData((data) => {
    printed += data
    const [next] = left
    if (next === undefined || !printed.includes(next[0])) return
    left.shift()
    child.write(next[1])
  })
  const code = await new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)))
  return { code, printed }
}

const greeter = "printf 'name? '; read name; echo hello $name; read again; exit 7"
const leave = "\u001d"

test("[PT1 SU1] a terminal is opened, typed into, left and found again, and its exit is the command's", async () => {
  const first = await type(
    ["pty", "open", "--", "sh", "-c", greeter],
    [
      ["name? ", "Ada\r"],
      ["hello Ada", leave],
    ],
  )
  expect(first.code).toBe(0)
  const id = /holdfast pty attach (pty_\w+)/.exec(first.printed)?.[1] ?? "none"
  const list = await place.run(["pty", "list"])
  expect(list.out).toMatch(new RegExp(`${id} +runs`))
  const second = await type(["pty", "attach", id], [["hello Ada", "\r"]])
  expect(second.code).toBe(7)
  expect((await place.run(["pty", "close", id.slice(0, 8)])).code).toBe(0)
  expect((await place.run(["pty", "list"])).out).toBe("There is no terminal.\n")
})

test("[SU1] where nobody types a program is needed, and its output and exit are told", async () => {
  expect(await place.run(["pty"])).toMatchObject({ code: 2, err: expect.stringContaining("Name a program") })
  const ran = await place.run(["pty", "open", "--", "sh", "-c", "echo out; exit 3"])
  expect([ran.code, ran.out]).toEqual([3, "out\r\n"])
  expect(await place.run(["pty", "attach", "pty_none"])).toMatchObject({ code: 2 })
})

test("[SU1 PT1] a terminal is opened in a directory that no Session has worked in, named from here", async () => {
  const ran = await place.run(["pty", "open", "--dir", "..", "--", "pwd", "-P"])
  expect([ran.code, ran.out]).toEqual([0, `${realpathSync(dirname(place.project))}\r\n`])
})
