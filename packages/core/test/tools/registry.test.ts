import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, test } from "vitest"
import { countLines } from "../../src/tools/bound.ts"
import type { Json } from "@holdfast/schema/json"
import { makeMasks } from "../../src/secrets/masks.ts"
import { jsonResult } from "../../src/tools/output/json-preview.ts"
import { type CallContext, type Settlement, createToolRegistry } from "../../src/tools/registry.ts"
import { type Tool, ToolFailure } from "../../src/tools/tool.ts"

const tool = (name: string, run: Tool["run"]): Tool => ({
  name,
  description: name,
  inputSchema: { type: "object" },
  repeatable: true,
  run,
})
const call = (name: string) => ({ callId: "call-1", name, input: {} })
const context = { directory: "." }
const settleOne = (run: Tool["run"], limits?: { linesMax: number; bytesMax: number }): Promise<Settlement> =>
  Effect.runPromise(createToolRegistry([tool("t", run)], limits).settle(call("t"), context))

describe("createToolRegistry", () => {
  test("sorts tools by name", () => {
    const names = ["write", "Read", "bash"].map((name) => tool(name, () => Effect.succeed({ text: "" })))
    expect(createToolRegistry(names).tools.map(({ name }) => name)).toEqual(["Read", "bash", "write"])
  })

  test("refuses a doubled and an illegal name", () => {
    const run: Tool["run"] = () => Effect.succeed({ text: "" })
    expect(() => createToolRegistry([tool("a", run), tool("a", run)])).toThrow('two tools named "a"')
    for (const name of ["", "1a", "a b", "a".repeat(65)]) {
      expect(() => createToolRegistry([tool(name, run)])).toThrow("not legal")
    }
  })
})

describe("settle", () => {
  test("[TO6] hands a structured result on unchanged beside the text", async () => {
    const structured = { values: Array.from({ length: 10_000 }, (_, index) => index) }
    expect(await settleOne(() => Effect.succeed({ text: "ok", structured }))).toEqual({
      state: "done",
      output: "ok",
      truncated: null,
      structured,
    })
  })

  test("[TO2] bounds whatever a tool returns, failures included", async () => {
    const text = "line\n".repeat(5_000)
    const done = await settleOne(() => Effect.succeed({ text }))
    const failed = await settleOne(() => Effect.fail(new ToolFailure({ code: "c", message: text })))
    for (const settlement of [done, failed]) {
      expect(countLines(settlement.output)).toBe(2_000)
      expect(settlement.truncated?.linesTotal).toBe(5_000)
    }
  })

  test("names the known tools when the tool is unknown", async () => {
    const registry = createToolRegistry([tool("b", () => Effect.die("x")), tool("a", () => Effect.die("x"))])
    expect(await Effect.runPromise(registry.settle(call("c"), context))).toEqual({
      state: "failed",
      output: 'There is no tool named "c". Use one of: a, b.',
      truncated: null,
      errorCode: "unknown_tool",
    })
  })

  test("shows the message of a failure to the model", async () => {
    const run = () => Effect.fail(new ToolFailure({ code: "not_found", message: "No such file." }))
    expect(await settleOne(run)).toEqual({
      state: "failed",
      output: "No such file.",
      truncated: null,
      errorCode: "not_found",
    })
  })

  test("settles a defect as failed and leaves its siblings alone", async () => {
    const registry = createToolRegistry([
      tool("broken", () => {
        throw new Error("boom")
      }),
      tool("dead", () => Effect.die("boom")),
      tool("lying", () => Effect.succeed({ text: undefined as unknown as string })),
      tool("fine", () => Effect.as(Effect.yieldNow, { text: "fine" })),
    ])
    const names = ["broken", "dead", "lying", "fine"]
    const all = Effect.forEach(names, (name) => registry.settle(call(name), context), { concurrency: 4 })
    const settlements = await Effect.runPromise(all)
    expect(settlements.map(({ errorCode, state }) => errorCode ?? state)).toEqual([
      "tool_defect",
      "tool_defect",
      "tool_defect",
      "done",
    ])
    expect(settlements[0]?.output).toContain('"broken"')
  })
})

describe("start", () => {
  const interruptOf = (run: Tool["run"], ready: Effect.Effect<unknown>) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const running = yield* createToolRegistry([tool("t", run)]).start(call("t"), context)
          yield* ready
          const settlement = yield* running.interrupt
          expect(yield* running.await).toBe(settlement)
          expect(yield* running.interrupt).toBe(settlement)
          return settlement
        }),
      ),
    )

  test("[DR3] settles an interrupted call with its bounded partial output", async () => {
    const wrote = Deferred.makeUnsafe<void>()
    const settlement = await interruptOf(
      (_, { output }) =>
        Effect.sync(() => output.write("part\n".repeat(20_000))).pipe(
          Effect.andThen(Deferred.succeed(wrote, undefined)),
          Effect.andThen(Effect.never),
        ),
      Deferred.await(wrote),
    )
    expect(settlement.state).toBe("interrupted")
    expect(settlement.output).toMatch(/^part\n[^]*\npart\n\[interrupted\]$/)
    expect(countLines(settlement.output)).toBe(2_000)
    expect(settlement.truncated).toMatchObject({ linesTotal: 20_000, bytesTotal: 100_000 })
  })

  test("[DR3] settles a call that is interrupted before it began", async () => {
    const settlement = await interruptOf(() => Effect.never, Effect.void)
    expect(settlement).toEqual({ state: "interrupted", output: "[interrupted]", truncated: null })
  })

  test("[TO5] yields the settlement when the interruption comes right after success", async () => {
    const settlement = await interruptOf(
      () =>
        Effect.withFiber((fiber) =>
          Effect.succeed({
            // Read while the result is being bounded, hence after the success of the operation.
            get text() {
              fiber.interruptUnsafe()
              return "written"
            },
          }),
        ),
      Effect.yieldNow,
    )
    expect(settlement).toEqual({ state: "done", output: "written", truncated: null })
  })

  test("[TO5] keeps the settlement of a call whose scope closes after success", async () => {
    const settlement = await Effect.runPromise(
      Effect.gen(function* () {
        const registry = createToolRegistry([tool("t", () => Effect.succeed({ text: "written" }))])
        const running = yield* Effect.scoped(
          Effect.tap(registry.start(call("t"), context), (started) => started.await),
        )
        return yield* running.interrupt
      }),
    )
    expect(settlement.state).toBe("done")
  })

  test("[DR3] settles within 5 s when a tool does not let itself be interrupted", async () => {
    const release = Deferred.makeUnsafe<void>()
    const story = Effect.gen(function* () {
      const stubborn = tool("t", (_, { output }) => {
        output.write("so far")
        return Effect.uninterruptible(Effect.as(Deferred.await(release), { text: "late" }))
      })
      const running = yield* createToolRegistry([stubborn]).start(call("t"), context)
      yield* Effect.yieldNow
      const interrupting = yield* Effect.forkChild(running.interrupt)
      yield* TestClock.adjust(4_999)
      expect(interrupting.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      const interrupted = yield* Fiber.join(interrupting)
      yield* Deferred.succeed(release, undefined)
      return interrupted
    })
    const settlement = await Effect.runPromise(Effect.scoped(Effect.provide(story, TestClock.layer())))
    expect(settlement.output).toBe("so far\n[interrupted]")
  })

  test("[DR3] interrupts the tool when the scope that owns it closes", async () => {
    const events: string[] = []
    const started = Deferred.makeUnsafe<void>()
    const run: Tool["run"] = () =>
      Deferred.succeed(started, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Effect.sync(() => events.push("ended"))),
      )
    const owner = Effect.runFork(createToolRegistry([tool("t", run)]).settle(call("t"), context))
    await Effect.runPromise(Deferred.await(started))
    await Effect.runPromise(Fiber.interrupt(owner))
    expect(events).toEqual(["ended"])
  })
})

describe("a call", () => {
  const strict = (run: Tool["run"], more: Partial<Tool> = {}): Tool => ({
    ...tool("t", run),
    inputSchema: {
      type: "object",
      properties: { count: { type: "integer", minimum: 1 } },
      required: ["count"],
      additionalProperties: false,
    },
    ...more,
  })
  const settleWith = (made: Tool, input: Json, more: Partial<CallContext> = {}) =>
    createToolRegistry([made]).settle({ callId: "call-1", name: "t", input }, { ...context, ...more })

  test("[TL1] of any tool is refused before it runs where its input does not fit the schema", async () => {
    let runs = 0
    const counting = strict(() => Effect.sync(() => ({ text: String(++runs) })))
    const refused = await Effect.runPromise(settleWith(counting, { cuont: 1 }))
    expect(refused).toMatchObject({
      state: "failed",
      errorCode: "invalid_input",
      output:
        'The input does not fit the tool "t", so nothing was done. Correct it and call again.\nThere is no field "cuont". Did you mean "count"?\n"count" is missing.',
    })
    expect(runs).toBe(0)
    expect(await Effect.runPromise(settleWith(counting, { count: 1 }))).toMatchObject({ output: "1" })
  })

  test("[TL1 TO5] that does not end is given up at the time limit of its tool, and its work is interrupted", async () => {
    let ended = false
    const endless = strict(() => Effect.onInterrupt(Effect.never, () => Effect.sync(() => (ended = true))), {
      timeoutMs: 60_000,
    })
    const settled = await Effect.runPromise(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(settleWith(endless, { count: 1 }))
        yield* TestClock.adjust(59_000)
        expect(ended).toBe(false)
        yield* TestClock.adjust(1_000)
        return yield* Fiber.join(fiber)
      }).pipe(Effect.provide(TestClock.layer())),
    )
    expect(settled).toMatchObject({ state: "failed", errorCode: "timeout" })
    expect(settled.output).toContain("did not end within 60000 ms")
    expect(ended).toBe(true)
  })

  test("[AU1 TO6] shows no secret in a value that is shortened", async () => {
    const secret = `ghp_${"aB3dE5gH7jK9".repeat(3)}`
    const value = { token: secret, more: Array.from({ length: 20_000 }, (_, n) => `entry ${n}`) }
    const masks = makeMasks({ key: new Uint8Array(32) })
    const settled = await Effect.runPromise(
      settleWith(
        strict(() => Effect.succeed(jsonResult(value))),
        { count: 1 },
        { masks },
      ),
    )
    expect(settled.output).toContain("⟦secret:github:")
    expect(JSON.stringify(settled)).not.toContain(secret)
  })
})
