/** What only a program in the same process can do: tools and sources of its own (EM2, RG1). */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { describe, expect, test, vi } from "vitest"
import { scripted, textReply } from "../../provider-sim/src/index.ts"
import {
  dataDirectoryOf,
  type HoldfastOptions,
  openHoldfast,
  type RegisteredTool,
  settled,
} from "../src/index.ts"
import { makePlace, type Place } from "./place.ts"

const weather = (run: RegisteredTool["run"]): RegisteredTool => ({
  name: "weather",
  description: "Tells the weather.",
  inputSchema: { type: "object", properties: {} },
  run,
})

/** A model that calls the tool once, then says what it read. */
const caller = () =>
  scripted(({ messages }) => {
    const results = (messages.at(-1)?.blocks ?? []).filter((block) => block.type === "tool_result")
    return results.length === 0
      ? { blocks: [{ type: "tool_use", name: "weather", input: {} }] }
      : textReply(results.map(({ text }) => text.replace(/^§\d+§ /, "")).join())
  })

describe("tools", () => {
  test("[EM2 DR2] a tool of the program is offered from the next turn on, until it is taken back", async () => {
    await using place = await makePlace(caller())
    await using holdfast = await openHoldfast(place.options)
    const { id: sessionID } = await holdfast.sessions.create()
    const say = async (text: string) => {
      await holdfast.sessions.prompt({ sessionID, text })
      return (await settled(holdfast, { sessionID })).text
    }
    const tools = async () => {
      const { segments } = await holdfast.sessions.request({ sessionID })
      return Number.parseInt(segments.find(({ name }) => name === "tools")?.source ?? "", 10)
    }
    const own = await tools()
    const first = await holdfast.tools.register(weather(() => "sunny"))
    expect(await tools()).toBe(own + 1)
    expect(await say("How is it?")).toBe("sunny")
    const second = await holdfast.tools.register(weather(async () => Promise.reject(new Error("no idea"))))
    expect(await say("And now?")).toContain("no idea")
    await second()
    expect(await say("And now?")).toBe("sunny")
    await first()
    const other = await holdfast.tools.register(weather(() => "rainy"))
    expect(await say("And now?")).toBe("rainy")
    await other()
    await first()
    expect(await say("And now?")).toContain('There is no tool named "weather"')
    await expect(holdfast.tools.register({ ...weather(() => ""), name: "not a name" })).rejects.toMatchObject(
      {
        _tag: "InvalidRequest",
      },
    )
  })

  /** Opens twice: the first is closed while the tool runs. */
  async function interrupted(
    place: Place,
    options: Partial<HoldfastOptions>,
    later: Partial<HoldfastOptions>,
  ) {
    const began = Promise.withResolvers<void>()
    const hangs = weather(() => {
      began.resolve()
      return new Promise<never>(() => {})
    })
    const first = await openHoldfast({ ...place.options, ...options, tools: [hangs] })
    const { id: sessionID } = await first.sessions.create()
    await first.sessions.prompt({ sessionID, text: "How is it?" })
    await began.promise
    await first.close()
    const holdfast = await openHoldfast({ ...place.options, ...options, ...later })
    const { text, status } = await settled(holdfast, { sessionID })
    const { items } = await holdfast.sessions.history({ sessionID })
    const outputs = items.flatMap(({ fact }) => (fact.type === "call.settled" ? [fact.outcome.output] : []))
    const told = items.flatMap(({ fact }) => (fact.type === "context.updated" ? [fact.text] : []))
    await holdfast.close()
    return { text, status, outputs, told }
  }

  test("[DR5] what is given at opening is known to the settlement of what was interrupted", async () => {
    await using place = await makePlace(caller())
    const again = { tools: [{ ...weather(() => "sunny"), repeatable: true }] }
    const known = await interrupted(place, {}, again)
    expect(known).toMatchObject({
      status: "interrupted",
      outputs: [expect.stringContaining("safe to repeat")],
    })
    const unknown = await interrupted(place, {}, {})
    expect(unknown.outputs).toEqual([expect.stringContaining("check before repeating")])
  })

  test("[DR5 EM2] and to the turns that go on by themselves, sources too", async () => {
    await using place = await makePlace(
      scripted(({ messages }) => {
        const results = (messages.at(-1)?.blocks ?? []).filter((block) => block.type === "tool_result")
        const sunny = results.some(({ text }) => text.includes("sunny"))
        return sunny ? textReply("Sunny.") : { blocks: [{ type: "tool_use", name: "weather", input: {} }] }
      }),
    )
    const oven = { key: "bakery/oven", load: () => "hot", baseline: () => "Hot.", update: () => "Hot." }
    const sources = [{ ...oven, removal: () => "No oven." }]
    const options = { onRestart: "continue", sources } as const
    const went = await interrupted(place, options, { tools: [weather(() => "sunny")] })
    expect(went).toMatchObject({ status: "done", text: "Sunny.", told: [] })
    expect(went.outputs.at(-1)).toContain("sunny")
  })

  test.each<readonly [string, Partial<HoldfastOptions>]>([
    ["a tool that no provider takes", { tools: [{ ...weather(() => ""), name: "not a name" }] }],
    [
      "a source under a key of Holdfast's own",
      { sources: [{ key: "core/date", load: () => 1, baseline: () => "a", update: () => "b" }] },
    ],
    [
      "a source with a key that is none",
      { sources: [{ key: "oven", load: () => 1, baseline: () => "a", update: () => "b" }] },
    ],
  ])("[CO3] opening refuses %s, and holds nothing open", async (_, options) => {
    await using place = await makePlace()
    await expect(openHoldfast({ ...place.options, ...options })).rejects.toMatchObject({
      _tag: "InvalidRequest",
    })
    await using holdfast = await place.open()
    expect((await holdfast.sessions.create()).id).toMatch(/^ses_/)
  })

  test("[EM2 TU2] a tool of the program that declares to read runs beside its like, any other alone", async () => {
    const twice = scripted(({ messages }) =>
      messages.at(-1)?.blocks.some(({ type }) => type === "tool_result") === true
        ? textReply("Done.")
        : { blocks: Array.from({ length: 2 }, () => ({ type: "tool_use", name: "weather", input: {} })) },
    )
    await using place = await makePlace(twice)
    await using holdfast = await openHoldfast(place.options)
    const { sessions } = holdfast
    for (const readOnly of [true, false]) {
      let running = 0
      let most = 0
      const bothRun = Promise.withResolvers<void>()
      const tool = weather(async () => {
        most = Math.max(most, ++running)
        if (running === 2) bothRun.resolve()
        // One that writes gives the other every chance to begin beside it.
        await (readOnly ? bothRun.promise : setImmediate())
        running -= 1
        return "sunny"
      })
      const unregister = await holdfast.tools.register({ ...tool, readOnly })
      const { id: sessionID } = await sessions.create()
      await sessions.prompt({ sessionID, text: "How is it?" })
      expect(await settled({ sessions }, { sessionID })).toMatchObject({ status: "done", text: "Done." })
      expect(most).toBe(readOnly ? 2 : 1)
      await unregister()
    }
  })

  test("[TO4] what operators are told goes to standard error, which is nobody's record", async () => {
    await using place = await makePlace(caller())
    await using holdfast = await openHoldfast(place.options)
    const kept = join(dataDirectoryOf(place.options), "tool-output")
    rmSync(kept, { recursive: true, force: true })
    writeFileSync(kept, "in the way")
    const told = { log: vi.spyOn(console, "log"), error: vi.spyOn(console, "error") }
    for (const each of Object.values(told)) each.mockImplementation(() => {})
    try {
      await holdfast.tools.register(weather(() => "rain ".repeat(20_000)))
      const { id: sessionID } = await holdfast.sessions.create()
      await holdfast.sessions.prompt({ sessionID, text: "How is it?" })
      await settled(holdfast, { sessionID })
      expect(told.error.mock.calls.flat().join(" ")).toContain("could not be stored")
      expect(told.log).not.toHaveBeenCalled()
    } finally {
      for (const each of Object.values(told)) each.mockRestore()
    }
  })

  test("[EM2 DR3] an interrupt ends a tool of the program by its signal", async () => {
    await using place = await makePlace(caller())
    await using holdfast = await openHoldfast(place.options)
    const { sessions } = holdfast
    const started = Promise.withResolvers<string>()
    const ended = Promise.withResolvers<void>()
    await holdfast.tools.register(
      weather((_, { callId, signal }) => {
        started.resolve(callId)
        signal.addEventListener("abort", () => ended.resolve())
        return new Promise(() => {})
      }),
    )
    const { id: sessionID } = await sessions.create()
    await sessions.prompt({ sessionID, text: "Wait for it." })
    expect(await started.promise).toMatch(/^call_/)
    await sessions.interrupt({ sessionID })
    await ended.promise
    expect(await settled({ sessions }, { sessionID })).toMatchObject({ status: "interrupted" })
  })

  test("[EM2 DR8] a tool of the program that looks at a job which goes on is no loop, until the job ends", async () => {
    await using place = await makePlace(
      scripted(() => ({ blocks: [{ type: "tool_use", name: "weather", input: {} }] })),
    )
    await using holdfast = await openHoldfast(place.options)
    const { sessions } = holdfast
    let looks = 0
    await holdfast.tools.register(
      weather((_, { stillRunning }) => {
        if (++looks <= 8) stillRunning()
        return "changeable"
      }),
    )
    const { id: sessionID } = await sessions.create()
    await sessions.prompt({ sessionID, text: "Watch it." })
    expect(await settled({ sessions }, { sessionID })).toMatchObject({
      status: "failed",
      reason: { code: "calls_repeated" },
    })
    expect(looks).toBe(8 + 5)
  })
})

describe("sources", () => {
  test("[EM2 RG1 RG3 SC2] a fact of the program is told, updated and withdrawn at the next boundary", async () => {
    await using place = await makePlace(scripted(() => textReply("Noted.")))
    await using holdfast = await openHoldfast(place.options)
    const { sessions } = holdfast
    const { id: sessionID } = await sessions.create()
    let moon = "full"
    const say = async () => {
      await sessions.prompt({ sessionID, text: "Hello" })
      await settled({ sessions }, { sessionID })
      const { items } = await sessions.messages({ sessionID, system: true })
      return items.flatMap((message) => (message.kind === "system" ? [message.text] : [])).at(-1)
    }
    expect(await say()).toBeUndefined()
    const forget = await holdfast.sources.register({
      key: "sky/moon",
      load: async () => moon,
      baseline: (value) => `The moon is ${String(value)}.`,
      update: (value) => `The moon is now ${String(value)}.`,
      removal: () => "The moon is of no concern any more.",
    })
    expect(await say()).toBe("The moon is full.")
    moon = "new"
    expect(await say()).toBe("The moon is now new.")
    await forget()
    expect(await say()).toBe("The moon is of no concern any more.")
    const source = { load: () => 1, baseline: String, update: String }
    for (const key of ["moon", "core/date"]) {
      await expect(holdfast.sources.register({ ...source, key })).rejects.toMatchObject({
        _tag: "InvalidRequest",
      })
    }
    expect(await say()).toBe("The moon is of no concern any more.")
  })

  test("[SC2 EM2] a key of Holdfast's own sources is refused, by name, and every turn goes on", async () => {
    await using place = await makePlace(scripted(() => textReply("Noted.")))
    await using holdfast = await openHoldfast(place.options)
    const skill = join(place.directory, ".holdfast", "skills", "moon")
    mkdirSync(skill, { recursive: true })
    writeFileSync(join(skill, "SKILL.md"), "---\nname: moon\ndescription: Looks up.\n---\nLook up.\n")
    writeFileSync(join(place.directory, "AGENTS.md"), "Look up.")
    const { id: sessionID } = await holdfast.sessions.create()
    const told = async () => {
      const { segments } = await holdfast.sessions.request({ sessionID })
      return (segments.find(({ name }) => name === "system")?.source ?? "").match(/core\/\w+/g)
    }
    const own = ["core/date", "core/environment", "core/instructions", "core/recall", "core/skills"]
    expect(await told()).toEqual(own)
    const source = { load: () => 1, baseline: String, update: String }
    for (const key of own) {
      for (const where of [{}, { directory: place.directory }])
        await expect(holdfast.sources.register({ ...source, ...where, key })).rejects.toMatchObject({
          _tag: "InvalidRequest",
          message: expect.stringContaining(`The source ${key} is Holdfast's own.`),
        })
    }
    await holdfast.sessions.prompt({ sessionID, text: "Hello" })
    expect(await settled(holdfast, { sessionID })).toMatchObject({ status: "done", text: "Noted." })
  })

  test("[RG1] a source of one directory stays there, however many others are looked at", async () => {
    await using place = await makePlace(scripted(() => textReply("Noted.")))
    await using holdfast = await openHoldfast(place.options)
    const { sessions } = holdfast
    const baseline = async (directory: string) => {
      await holdfast.locations.open({ directory })
      const { id: sessionID } = await sessions.create({ directory })
      const { segments } = await sessions.request({ sessionID })
      return segments.find(({ name }) => name === "system")?.source ?? ""
    }
    const source = { key: "sky/moon", load: () => "full", baseline: String, update: String }
    await holdfast.sources.register({ ...source, directory: place.directory })
    expect(await baseline(place.directory)).toContain("sky/moon")
    for (let n = 0; n < 70; n++) {
      const other = join(place.directory, `other-${n}`)
      mkdirSync(other)
      expect(await baseline(other)).not.toContain("sky/moon")
    }
    expect(await baseline(place.directory)).toContain("sky/moon")
  })

  test("[RG1] a directory's own source wins over one for everywhere, and the last one within each place", async () => {
    await using place = await makePlace(scripted(() => textReply("Noted.")))
    await using holdfast = await openHoldfast(place.options)
    const { sessions } = holdfast
    const other = join(place.directory, "other")
    mkdirSync(other)
    await holdfast.locations.open({ directory: other })
    const told = async (directory: string) => {
      const { id: sessionID } = await sessions.create({ directory })
      const { segments } = await sessions.request({ sessionID, content: true })
      return /The moon is (\w+)\./.exec(JSON.stringify(segments))?.[1]
    }
    const { directory } = place
    const moon = (value: string, where: { readonly directory?: string } = {}) =>
      holdfast.sources.register({
        key: "sky/moon",
        load: () => value,
        baseline: (now) => `The moon is ${String(now)}.`,
        update: String,
        ...where,
      })
    const early = await moon("full")
    const own = await moon("red", { directory })
    const late = await moon("new")
    expect([await told(directory), await told(other)]).toEqual(["red", "new"])
    const newer = await moon("blue", { directory })
    expect([await told(directory), await told(other)]).toEqual(["blue", "new"])
    await newer()
    expect([await told(directory), await told(other)]).toEqual(["red", "new"])
    await own()
    expect([await told(directory), await told(other)]).toEqual(["new", "new"])
    await late()
    expect([await told(directory), await told(other)]).toEqual(["full", "full"])
    await early()
    expect([await told(directory), await told(other)]).toEqual([undefined, undefined])
  })

  test("[RG1] a source of one directory is told there, by whatever path it is named", async () => {
    await using place = await makePlace(scripted(() => textReply("Noted.")))
    await using holdfast = await openHoldfast(place.options)
    const { id: sessionID } = await holdfast.sessions.create()
    const work = join(place.directory, "work")
    mkdirSync(work)
    await holdfast.locations.open({ directory: work })
    const { id: elsewhere } = await holdfast.sessions.create({ directory: work })
    const sources = async (session: string) =>
      (await holdfast.sessions.request({ sessionID: session })).segments.find(({ name }) => name === "system")
        ?.source ?? ""
    const link = join(place.directory, "link")
    symlinkSync(place.directory, link)
    const source = { key: "sky/moon", load: () => "full", baseline: String, update: String }
    for (const directory of [".", "work/..", link, `${place.directory}/`]) {
      const forget = await holdfast.sources.register({ ...source, directory })
      expect(await sources(sessionID), directory).toContain("sky/moon")
      expect(await sources(elsewhere), directory).not.toContain("sky/moon")
      await forget()
      expect(await sources(sessionID), directory).not.toContain("sky/moon")
    }
    const directory = join(place.directory, "nowhere")
    await expect(holdfast.sources.register({ ...source, directory })).rejects.toMatchObject({
      _tag: "LocationMissing",
      directory,
    })
  })
})

describe("registrations", () => {
  const tool = weather(() => "sunny")
  const source = { key: "sky/moon", load: () => "full", baseline: String, update: String }
  const { run: _, ...withoutRun } = tool
  const { load: __, ...withoutLoad } = source
  const tools: readonly unknown[] = [
    undefined,
    {},
    withoutRun,
    { ...tool, run: "sunny" },
    { ...tool, description: undefined },
    { ...tool, inputSchema: "object" },
    { ...tool, inputSchema: { properties: {} } },
    { ...tool, inputSchema: { type: "object", default: () => 1 } },
    { ...tool, readonly: true },
  ]
  const sources: readonly unknown[] = [
    null,
    withoutLoad,
    { ...source, baseline: "full" },
    { ...source, directory: "" },
    { ...source, direcotry: "." },
  ]

  test("[CO3 EM2] what does not fit is refused when it is registered, and offered to nobody", async () => {
    await using place = await makePlace(scripted(() => textReply("Noted.")))
    await using holdfast = await openHoldfast(place.options)
    const refused = {
      _tag: "InvalidRequest",
      part: "payload",
      message: expect.stringMatching(
        /^(The field ".+" (must be .*|is missing)\.|There is no field ".+"\..*)$/,
      ),
    }
    const { id: sessionID } = await holdfast.sessions.create()
    const offered = async () => {
      const { segments } = await holdfast.sessions.request({ sessionID })
      return segments.find(({ name }) => name === "tools")?.source
    }
    const before = await offered()
    for (const given of tools)
      await expect(holdfast.tools.register(given as never)).rejects.toMatchObject(refused)
    for (const given of sources)
      await expect(holdfast.sources.register(given as never)).rejects.toMatchObject(refused)
    expect(await offered()).toBe(before)
  })

  test("[EM2 CO3] a tool that a provider would refuse is refused when it is registered, and says why", async () => {
    await using place = await makePlace(caller())
    await using holdfast = await openHoldfast(place.options)
    const withSchema = (schema: object) => ({ ...tool, inputSchema: { type: "object", ...schema } })
    const property = (given: object) => withSchema({ properties: { day: given } })
    const wrong: readonly (readonly [given: object, told: RegExp])[] = [
      [withSchema({ properties: { "a b": { type: "string" } } }), /anthropic-messages .* illegal name/],
      [withSchema({ anyOf: [{ required: ["a"] }] }), /anthropic-messages .* is a union/],
      [withSchema({ properties: ["day"] }), /anthropic-messages .* is not an object with properties/],
      [property({ type: "strnig" }), /"inputSchema\.properties\.day\.type" must be a type of JSON Schema/],
      [property({ type: [] }), /"inputSchema\.properties\.day\.type"/],
      [property({ type: "array", items: { type: 7 } }), /"inputSchema\.properties\.day\.items\.type"/],
      [property({ anyOf: [{ type: "text" }] }), /"inputSchema\.properties\.day\.anyOf\.0\.type"/],
    ]
    for (const [given, told] of wrong)
      await expect(holdfast.tools.register(given as never), String(told)).rejects.toMatchObject({
        _tag: "InvalidRequest",
        part: "payload",
        message: expect.stringMatching(told),
      })
    const fits = [
      withSchema({}),
      withSchema({ properties: { type: { type: ["string", "null"] }, day: { enum: [{ type: "any" }] } } }),
      withSchema({ $defs: { day: { anyOf: [{ type: "string" }] } }, additionalProperties: false }),
    ]
    for (const given of fits) {
      const unregister = await holdfast.tools.register(given as never)
      const { id: sessionID } = await holdfast.sessions.create()
      await holdfast.sessions.prompt({ sessionID, text: "How is it?" })
      expect(await settled(holdfast, { sessionID })).toMatchObject({ status: "done", text: "sunny" })
      await unregister()
    }
  })

  test("[EM2] a tool may be an object of a class", async () => {
    class Weather {
      name = "weather"
      description = "Tells the weather."
      inputSchema = { type: "object" }
      run() {
        return "sunny"
      }
    }
    await using place = await makePlace(caller())
    await using holdfast = await openHoldfast(place.options)
    await holdfast.tools.register(new Weather())
    const { id: sessionID } = await holdfast.sessions.create()
    await holdfast.sessions.prompt({ sessionID, text: "How is it?" })
    expect(await settled(holdfast, { sessionID })).toMatchObject({ text: "sunny" })
  })
})
