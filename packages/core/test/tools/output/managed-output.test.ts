import { mkdir, readFile, readdir, stat, symlink, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Deferred, Effect, Logger } from "effect"
import { useHost } from "../../../../../test/stage/host.ts"
import { describe, expect, test } from "vitest"
import { countLines, outputLimitsDefault } from "../../../src/tools/bound.ts"
import { jsonResult } from "../../../src/tools/output/json-preview.ts"
import { createOutputStore, type OutputFiles, sweepOutputs } from "../../../src/tools/output/output-store.ts"
import { readTool } from "../../../src/tools/read.ts"
import { type Settlement, createToolRegistry } from "../../../src/tools/registry.ts"
import { type Tool, ToolFailure } from "../../../src/tools/tool.ts"
import { runTool, temporaryDirectory } from "../workspace.ts"

const session = "ses_0000000000000000000a"
const tool = (run: Tool["run"]): Tool => ({
  name: "t",
  description: "t",
  inputSchema: { type: "object" },
  repeatable: true,
  run,
})

async function place() {
  const directory = join(await temporaryDirectory(), "tool-output")
  const store = createOutputStore(directory)
  return { directory, store, outputs: store.of(session) }
}

const settleWith = (outputs: OutputFiles | undefined, run: Tool["run"]): Promise<Settlement> =>
  Effect.runPromise(
    createToolRegistry([tool(run)]).settle(
      { callId: "call_1", name: "t", input: {} },
      { directory: ".", outputs },
    ),
  )

const text = "line of text\n".repeat(5_000)

describe("a text that does not fit", () => {
  test("[TO3 TO8] is stored exactly, in a private flat file that preview and record name", async () => {
    const { directory, outputs } = await place()
    const odd = `${text}\0é\u{1f600}`
    const settled = await settleWith(outputs, () => Effect.succeed({ text: odd }))
    const { path = "", ...rest } = settled.outputFile ?? {}
    expect(rest).toEqual({ bytes: Buffer.byteLength(odd), complete: true })
    expect(settled.output).toContain(`bytes; the complete output is in the file ${path}]\n`)
    expect(Buffer.byteLength(settled.output)).toBeLessThanOrEqual(outputLimitsDefault.bytesMax)
    expect(countLines(settled.output)).toBe(2_000)
    expect(await readFile(path, "utf8")).toBe(odd)
    expect(path).toMatch(new RegExp(`^${directory}/${session}-[0-9a-f]{16}\\.txt$`))
    expect([(await stat(path)).mode & 0o777, (await stat(directory)).mode & 0o777]).toEqual([0o600, 0o700])
    expect(settled.lossy).toBeUndefined()
  })

  test("[TO3] has a name of its own each time, and none where it fits", async () => {
    const { directory, outputs } = await place()
    for (const given of [text, text, "short"])
      await settleWith(outputs, () => Effect.succeed({ text: given }))
    expect(new Set(await readdir(directory)).size).toBe(2)
  })

  test("[TO3] is stored when it is the message of a failure", async () => {
    const { outputs } = await place()
    const settled = await settleWith(outputs, () =>
      Effect.fail(new ToolFailure({ code: "c", message: text })),
    )
    expect(settled).toMatchObject({ state: "failed", errorCode: "c", outputFile: { complete: true } })
  })

  test("[TO8] is not called complete where the tool had shortened it", async () => {
    const { outputs } = await place()
    const omitted = { lines: 3, bytes: 40 }
    const settled = await settleWith(outputs, () => Effect.succeed({ text, omitted }))
    expect(settled.outputFile?.complete).toBe(false)
    expect(settled.output).not.toContain("complete output")
    expect(settled.output).toContain("what was kept of the output, not all of it, is in the file")
  })

  test("[TO4] succeeds though it cannot be stored: lossy, without a path, and operators are told", async () => {
    const { directory } = await place()
    await writeFile(join(directory, "not-a-directory"), "")
    const outputs = createOutputStore(join(directory, "not-a-directory")).of(session)
    const logged: unknown[] = []
    const logger = Logger.make(({ message }) => void logged.push(message))
    const settled = await Effect.runPromise(
      createToolRegistry([tool(() => Effect.succeed({ text }))])
        .settle({ callId: "call_1", name: "t", input: {} }, { directory: ".", outputs })
        .pipe(Effect.provide(Logger.layer([logger]))),
    )
    expect(settled).toMatchObject({ state: "done", lossy: true, truncated: { linesTotal: 5_000 } })
    expect(settled).not.toHaveProperty("outputFile")
    expect(settled.output).toContain("bytes; the rest could not be stored]")
    expect(String(logged)).toMatch(/could not be stored in .*: ENOTDIR/)
  })
})

describe("live output", () => {
  const writes =
    (count: number, rest: (output: { readonly text: string }) => object): Tool["run"] =>
    (_, { output }) =>
      Effect.promise(async () => {
        for (let index = 0; index < count; index += 1) {
          output.write(`${index} ${"x".repeat(990)}\n`)
          await output.caughtUp()
        }
        return { text: output.text, omitted: output.omitted, ...rest(output) }
      })

  test("[TO3 TO8] is in the file whole where memory kept only its ends", async () => {
    const { directory, outputs } = await place()
    const settled = await settleWith(
      outputs,
      writes(10_000, ({ text: kept }) => ({ text: `${kept}end`, afterOutput: "end" })),
    )
    const whole = await readFile(settled.outputFile?.path ?? "", "utf8")
    expect(settled.outputFile).toMatchObject({ complete: true, bytes: whole.length })
    expect(countLines(whole)).toBe(10_001)
    expect(whole).toMatch(/^0 x[^]*\n9999 x+\nend$/)
    expect(settled.output).toMatch(/\n9999 x+\nend$/)
    expect(await readdir(directory)).toHaveLength(1)
  })

  test("[TO3] leaves no file where the result is another, short text", async () => {
    const { directory, outputs } = await place()
    const settled = await settleWith(
      outputs,
      writes(200, () => ({ text: "ok", omitted: undefined })),
    )
    expect(settled).toEqual({ state: "done", output: "ok", truncated: null })
    expect(await readdir(directory)).toEqual([])
  })

  test("[TO3 DR3] of an interrupted call is stored as far as it came", async () => {
    const { outputs } = await place()
    const wrote = Deferred.makeUnsafe<void>()
    const run: Tool["run"] = (_, { output }) =>
      Effect.sync(() => output.write(text)).pipe(
        Effect.andThen(Deferred.succeed(wrote, undefined)),
        Effect.andThen(Effect.never),
      )
    const settled = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const call = { callId: "call_1", name: "t", input: {} }
          const running = yield* createToolRegistry([tool(run)]).start(call, { directory: ".", outputs })
          yield* Deferred.await(wrote)
          return yield* running.interrupt
        }),
      ),
    )
    expect(settled).toMatchObject({ state: "interrupted", outputFile: { complete: true } })
    expect(await readFile(settled.outputFile?.path ?? "", "utf8")).toBe(text)
  })
})

describe("a structured result", () => {
  test("[TO6] is shown as JSON that stays legal, with whole paths, and is stored complete", async () => {
    const { outputs } = await place()
    const path = `/a/${"very-long-name/".repeat(67)}file.ts`
    const structured = {
      path,
      rows: Array.from({ length: 9_000 }, (_, id) => ({ id, text: "t".repeat(50) })),
    }
    const settled = await settleWith(outputs, () => Effect.succeed(jsonResult(structured)))
    const [, json = "", line] = /^([^]*)\n(\[.*\])$/.exec(settled.output) ?? []
    const shown = JSON.parse(json) as typeof structured
    expect(shown.path).toBe(path)
    expect(shown.rows.at(-1)).toMatch(/^\[\d+ more left out\]$/)
    expect(line).toMatch(/^\[shortened from \d+ bytes; the complete output is in the file \//)
    expect(Buffer.byteLength(settled.output)).toBeLessThanOrEqual(outputLimitsDefault.bytesMax)
    expect(settled.structured).toBe(structured)
    expect(JSON.parse(await readFile(settled.outputFile?.path ?? "", "utf8"))).toEqual(structured)
  })

  test("[TO6] is shown whole where it fits", async () => {
    const settled = await settleWith(undefined, () => Effect.succeed(jsonResult({ a: [1] })))
    expect(settled.output).toBe('{\n  "a": [\n    1\n  ]\n}')
  })
})

describe("read", () => {
  test("[TO3 PE2] opens the file of an output and no other path outside", async () => {
    const { directory, outputs } = await place()
    const here = await temporaryDirectory()
    const settled = await settleWith(outputs, () => Effect.succeed({ text: `first\0\n${text}` }))
    const path = settled.outputFile?.path ?? ""
    const read = (input: string) => runTool(readTool, { path: input, limit: 1 }, here, { outputs })
    expect((await read(path)).result?.text).toContain("     1\tfirst")
    expect((await read(path)).files.seen).toEqual([])
    await writeFile(join(directory, "other.txt"), "secret")
    await mkdir(join(directory, "below"))
    const link = join(directory, `${session}-00000000000000ff.txt`)
    await symlink("/etc/passwd", link)
    for (const other of [directory, join(directory, "other.txt"), `${path}/../other.txt`, "/etc/passwd"])
      expect((await read(other)).failure?.code).toBe("outside_location")
    expect((await read(link)).failure?.code).toBe("eloop")
  })

  test("[TO7] says that a file expired", async () => {
    const { directory, outputs } = await place()
    const path = join(directory, `${session}-0123456789abcdef.txt`)
    const { failure } = await runTool(readTool, { path }, await temporaryDirectory(), {
      outputs,
    })
    expect(failure).toMatchObject({ code: "expired" })
    expect(failure?.message).toContain("Make the call again")
  })
})

describe("retention", () => {
  test("[TO7] removes files of an age, and nothing that is younger or not ours", async () => {
    const { directory, store } = await place()
    const names = [`${session}-0000000000000001.txt`, `${session}-0000000000000002.txt`, "notes.txt"]
    for (const name of names) await writeFile(join(directory, name), "")
    const days = (count: number) => new Date(Date.now() - count * 86_400_000)
    await utimes(join(directory, names[0] ?? ""), days(7.1), days(7.1))
    await utimes(join(directory, names[1] ?? ""), days(6.9), days(6.9))
    await utimes(join(directory, "notes.txt"), days(90), days(90))
    await Effect.runPromise(sweepOutputs(directory, 7))
    expect((await readdir(directory)).sort()).toEqual(["notes.txt", names[1]].sort())
    await Effect.runPromise(store.remove("ses_0000000000000000000b"))
    expect(await readdir(directory)).toHaveLength(2)
    await Effect.runPromise(store.remove(session))
    expect(await readdir(directory)).toEqual(["notes.txt"])
  })

  test.each<readonly [string, object, number]>([
    ["for seven days", {}, 7],
    ["for as long as is set", { toolOutputDays: 2 }, 2],
  ])("[TO7] a host keeps files %s", async (_, settings, kept) => {
    const root = await temporaryDirectory()
    const directory = join(root, "data/tool-output")
    await mkdir(directory, { recursive: true })
    const names = ["0000000000000001.txt", "0000000000000002.txt"].map((name) => `${session}-${name}`)
    for (const [at, name] of names.entries()) {
      const written = new Date(Date.now() - (kept + 0.1 - at * 0.2) * 86_400_000)
      await writeFile(join(directory, name), "")
      await utimes(join(directory, name), written, written)
    }
    await useHost({ root, settings }, () =>
      Effect.promise(() => expect.poll(() => readdir(directory), { timeout: 5_000 }).toEqual(names.slice(1))),
    )
  })
})
