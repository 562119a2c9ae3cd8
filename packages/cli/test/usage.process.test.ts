/** Wrong arguments, wrong configuration, help and lists. */
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { makePlace } from "./place.ts"

describe("wrong arguments exit with 2 and say what to do", () => {
  test.each([
    [[], "Usage: holdfast"],
    [["jump"], "unknown command 'jump'. See holdfast --help."],
    [["rum", "x"], "unknown command 'rum'. Did you mean run? See holdfast --help."],
    [["run"], "missing required argument 'text'. See holdfast run --help."],
    [["run", "two", "words"], "Put the text in quotes."],
    [["run", "--jump", "x"], "unknown option '--jump'"],
    [["run", " "], "The prompt is empty. Write what you want done."],
    [["run", "--allow", "write(src/**", "x"], 'The rule "write(src/**" cannot be read.'],
    [["run", "--on-ask", "never", "x"], "Allowed choices are deny, allow, fail, wait."],
    [["asks", "ses_none"], "There is no Session ses_none."],
    [["answer", "ask_none", "maybe"], "Allowed choices are allow, decline, say."],
    [["run", "--budget-tokens", "0", "x"], "It must be a whole number above 0."],
    [["run", "--budget-money", "free", "x"], "Write dollars above 0, as 1.50, or none."],
    [["run", "--budget-money", "0.00", "x"], "Write dollars above 0, as 1.50, or none."],
    [["run", "--delivery", "now", "x"], "Allowed choices are steer, queue."],
    [["run", "--dir", "nowhere", "x"], "/project/nowhere. Create it or name another."],
    [["run", "--dir", ".", "--session", "ses_x", "x"], "cannot be used with"],
    [["window", "ses_x", "--parts", "--content"], "cannot be used with"],
    [["run", "--model", "gpt", "x"], '"gpt" names no model.'],
    [
      ["run", "--model", "far/away", "x"],
      "There is no provider far. No provider is configured: set ANTHROPIC_API_KEY",
    ],
    [["run", "--session", "ses_none", "x"], "There is no Session ses_none. `holdfast sessions` lists them."],
    [["resume", "nonsense"], '"nonsense" is no Session id.'],
    [["turns", "ses_none"], "There is no Session ses_none."],
    [["attach", "ses_none"], "There is no Session ses_none."],
    [["attach", "ses_none", "--until-idle"], "There is no Session ses_none."],
    [
      ["set", "ses_none"],
      "Say what to change: --title, --agent, --on-restart, --on-ask, --allow, --budget-tokens",
    ],
    [["set", "ses_none", "--title", "x"], "There is no Session ses_none."],
    [
      ["set", "ses_none", "--title", "x".repeat(1_001)],
      'The field "title" must be a text of at most 1000 characters.',
    ],
    [["run", "--on-restart", "never", "x"], "Allowed choices are settle, continue."],
    [["run", "--image", "", "x"], "Name a file."],
    [["sessions", "--limit", "none"], "It must be a whole number above 0."],
  ])("%j", async (args, said) => {
    await using place = await makePlace()
    const { code, out, err } = await place.call(args)
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toContain(said)
    expect(err).not.toMatch(/\n\s+at /)
  })

  test("and with --json end with a record all the same", async () => {
    await using place = await makePlace()
    const { code, record } = await place.call(["run", "--json", " "])
    expect(code).toBe(2)
    expect(record()).toEqual({
      type: "result",
      status: "failed",
      reason: { code: "usage", message: "The prompt is empty. Write what you want done." },
      session: null,
      prompt: null,
      turns: 0,
      text: "",
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      accuracy: "exact",
      cost: null,
      provider: null,
      model: null,
    })
  })
})

describe("wrong configuration names file and line", () => {
  test("of the user", async () => {
    await using place = await makePlace()
    await place.write("config/holdfast.jsonc", '{\n  "providers": {\n    "x": { "wire": 1 }\n  }\n}\n')
    const file = join(place.root, "config/holdfast.jsonc")
    const { code, err, record } = await place.call(["run", "--json", "x"])
    expect(code).toBe(2)
    expect(err).toContain(`${file}:3: providers.x.wire must be one of anthropic-messages`)
    expect(record()).toMatchObject({
      status: "failed",
      session: null,
      reason: { code: "configuration_invalid" },
    })
  })

  test("of a project that wants more than a model", async () => {
    await using place = await makePlace()
    await place.write("project/holdfast.jsonc", '{\n  "model": "offline/agent",\n  "providers": {}\n}\n')
    const { code, err } = await place.call(["run", "x"])
    expect(code).toBe(2)
    expect(err).toContain(`${join(place.project, "holdfast.jsonc")}:3: providers cannot be set by a project`)
  })
})

test("HOLDFAST_DEBUG=1 shows where a failure comes from", async () => {
  await using place = await makePlace()
  const env = { HOLDFAST_DEBUG: "1" }
  const refused = await place.call(["turns", "ses_none"], { env })
  expect(refused.err).toContain('"_tag":"SessionNotFound"')
})

describe("help", () => {
  test("of the program and of a command goes to standard output", async () => {
    await using place = await makePlace()
    expect(await place.run(["--help"])).toMatchObject({ code: 0, err: "" })
    const { code, out, err } = await place.run(["help", "run"])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain("Usage: holdfast run [options] <text>")
    expect(out).toContain("\nExamples:\n  $ holdfast run")
  })

  test("--version prints the version alone", async () => {
    await using place = await makePlace()
    expect(await place.run(["--version"])).toMatchObject({ code: 0, out: "0.1.0\n" })
  })
})

test("sessions are listed newest first, and their absence says how to begin", async () => {
  await using place = await makePlace()
  expect((await place.call(["sessions"])).out).toContain("There is no Session yet.")
  await place.call(["run", "First of all."])
  await place.call(["run", "Second to none."])
  const { out } = await place.call(["sessions"])
  const [head, ...rows] = out.trimEnd().split("\n")
  expect(head?.split(/\s{2,}/)).toEqual([
    "SESSION",
    "STATE",
    "ANSWER OWED",
    "PENDING",
    "TURNS",
    "AGE",
    "TITLE",
    "DIRECTORY",
  ])
  expect(rows.map((row) => /First of all\.|Second to none\./.exec(row)?.[0])).toEqual([
    "Second to none.",
    "First of all.",
  ])
  expect((await place.call(["sessions", "--limit", "1", "--json"])).record()).toMatchObject({
    title: "Second to none.",
  })
})

test("[CA1] a prompt of a run is words to the offline model, whatever is in it", async () => {
  await using place = await makePlace()
  for (const steps of ['[{"tools":[{"name":"a"}]}]', "[null]", '[{"text":"Directed."}]']) {
    const { code, record } = await place.call(["run", "--json", `@@SIM{"steps":${steps}}@@`])
    const text = expect.stringMatching(/^I am Holdfast's offline model/) as string
    expect([code, record()]).toMatchObject([0, { status: "done", text }])
  }
})

test("provider-sim follows directives where it is asked to, and tells whom it refuses", async () => {
  await using place = await makePlace()
  const sim = place.start(["provider-sim", "--model", "agent", "--directives"])
  await sim.prints("\n}\n")
  const printed = sim.printed()
  await place.write("config/holdfast.jsonc", printed.slice(printed.indexOf("{")))
  const directed = await place.call(["run", "--json", '@@SIM{"steps":[{"text":"Directed."}]}@@'])
  expect(directed.record()).toMatchObject({ status: "done", text: "Directed." })
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? ""
  const refused = await fetch(`${url}/v1/chat/completions`, { method: "POST", body: "{}" })
  expect(refused.status).toBe(400)
  await sim.prints("openai-chat: 400 ")
})

test("[LL1] provider-sim serves a model that its own snippet configures, on every wire", async () => {
  await using place = await makePlace()
  const sim = place.start(["provider-sim", "--model", "agent"])
  await sim.prints("\n}\n")
  const printed = sim.printed()
  await place.write("config/holdfast.jsonc", printed.slice(printed.indexOf("{")))
  const run = await place.call(["run", "Read README.md."])
  expect(run.code).toBe(0)
  expect(run.out.split("\n")[0]).toMatch(
    /^Local provider: sim\/agent at http:\/\/127\.0\.0\.1:\d+\. This run costs nothing\.$/,
  )
  const wires = ["sim-responses", "sim-chat", "sim-gemini", "sim-bedrock"]
  const runs = wires.map((name) => place.call(["run", "--model", `${name}/agent`, "Read README.md."]))
  const answers = (await Promise.all(runs)).map(({ code, out }) => [code, out.includes("“Greeter”")])
  expect(answers).toEqual(wires.map(() => [0, true]))
  for (const setting of ["ANTHROPIC_BASE_URL=", "OPENAI_BASE_URL=", "GOOGLE_GEMINI_BASE_URL="])
    expect(printed).toContain(`\n${setting}http://127.0.0.1:`)
  const port = /127\.0\.0\.1:(\d+)/.exec(printed)?.[1] ?? ""
  const taken = await place.call(["provider-sim", "--port", port])
  expect(taken).toMatchObject({ code: 2, out: "" })
  expect(taken.err).toContain(`Port ${port} is taken. Choose another with --port.`)
  sim.kill("SIGINT")
  expect((await sim.ended).code).toBe(0)
})
