/** Agents as files describe them: whose counts, what is left out, and that nothing widens. */
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { builtInAgents } from "../../src/agent/definition.ts"
import { findAgent } from "../../src/agent/find.ts"
import { loadAgents } from "../../src/agent/load.ts"
import { nothingAllowed } from "../../src/host/permissions.ts"
import { makeSamples } from "../../src/host/samples.ts"
import { nodeInstructionFiles } from "../../src/instructions/index.ts"
import { problemText } from "../../src/markdown/files.ts"
import { editTool, listTool, readTool, writeTool } from "../../src/tools/index.ts"
import { type FilePlace, makeFilePlace } from "./place.ts"

const load = async ({ configDirectory, project }: FilePlace, disableProject = false) => {
  const loading = loadAgents({ configDirectory, disableProject }, project, nodeInstructionFiles)
  const { agents, problems } = await Effect.runPromise(loading)
  return { agents, problems: problems.map(problemText) }
}

const toolsOf = ({ configDirectory, project }: FilePlace, name: string) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const settings = { configDirectory, timeZone: null, disableProject: false }
        const samples = yield* makeSamples(
          [readTool, listTool, writeTool, editTool],
          settings,
          nothingAllowed,
        )
        const location = { directory: project, projectRoot: project }
        const { tools, obstacle } = yield* samples.sample(location, name)
        return obstacle?.message ?? tools.tools.map((tool) => tool.name)
      }),
    ),
  )

test("[DR5] what a tool says of itself is known where its agent is gone, or the project's file is faulty", async () => {
  await using place = await makeFilePlace()
  const { configDirectory, project } = place
  const sampled = (name: string) => {
    const settings = { configDirectory, timeZone: null, disableProject: false }
    const permissions = { ...nothingAllowed, readProjectFile: nodeInstructionFiles.read }
    return Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(makeSamples([readTool], settings, permissions), ({ sample }) =>
          sample({ directory: project, projectRoot: project }, name),
        ),
      ),
    )
  }
  const known = async (name: string) => {
    const { obstacle, tools, declared } = await sampled(name)
    return [obstacle?.code, tools.get("read"), declared?.get("read")]
  }
  expect(await known("nobody")).toEqual(["agent_not_found", undefined, readTool])
  await place.write("project/holdfast.jsonc", '{ "permissions": ["alow read"] }')
  expect(await known("build")).toEqual([expect.any(String), undefined, readTool])
})

test("[TL6] build, plan, explore and general are built in; plan and explore change nothing, and say so", async () => {
  await using place = await makeFilePlace()
  expect([...builtInAgents.values()].map(({ name, mode }) => [name, mode])).toEqual([
    ["build", "primary"],
    ["plan", "primary"],
    ["explore", "subagent"],
    ["general", "subagent"],
  ])
  for (const name of ["plan", "explore"]) {
    expect(builtInAgents.get(name)?.prompt).toContain("Change nothing")
    expect(await toolsOf(place, name)).toEqual(["list", "read"])
  }
  for (const name of ["build", "general"])
    expect(await toolsOf(place, name)).toEqual(["edit", "list", "read", "write"])
})

test("[TL6] a file describes an agent: prompt, model, limits, permissions and tools", async () => {
  await using place = await makeFilePlace()
  const file = await place.write(
    "config/agents/review.md",
    `---
description: Reads a change and says what is wrong.
mode: subagent
model: local/small
variant: fast
steps: 12
temperature: 0.2
tools: [read, list]
permissions:
  - deny bash
  - allow read(src/**)
---
You review.
`,
  )
  const { agents, problems } = await load(place)
  expect(problems).toEqual([])
  expect(agents.get("review")).toEqual({
    name: "review",
    description: "Reads a change and says what is wrong.",
    mode: "subagent",
    origin: "user",
    file,
    prompt: "You review.",
    model: { provider: "local", model: "small:fast" },
    turnsMax: 12,
    temperature: 0.2,
    permissions: ["deny bash", "allow read(src/**)"],
    selection: { only: ["read", "list"], without: [], readOnly: false },
  })
  expect(await toolsOf(place, "review")).toEqual(["list", "read"])
})

test("[TL6] a project cannot take the name of a built-in agent or of the user's", async () => {
  await using place = await makeFilePlace()
  await place.write("config/agents/mine.md", "---\ndescription: Mine.\n---\nMine.\n")
  const taken = await Promise.all(
    ["build", "plan", "mine"].map((name) =>
      place.write(`project/.holdfast/agents/${name}.md`, "---\ndescription: Theirs.\n---\nTheirs.\n"),
    ),
  )
  const { agents, problems } = await load(place)
  expect(problems).toEqual([
    `${taken[0]}: There is an agent build already (built in), which stays. Give this one another name.`,
    `${taken[2]}: There is an agent mine already (one of yours), which stays. Give this one another name.`,
    `${taken[1]}: There is an agent plan already (built in), which stays. Give this one another name.`,
  ])
  expect(agents.get("mine")?.prompt).toBe("Mine.")
  expect(await toolsOf(place, "plan")).toEqual(["list", "read"])
})

test("[TL6] a user may describe a built-in agent anew; plan still changes nothing", async () => {
  await using place = await makeFilePlace()
  await place.write(
    "config/agents/plan.md",
    "---\ndescription: Mine.\ntools: [write, read]\npermissions:\n  - allow bash\n---\nPlan it.\n",
  )
  const { agents } = await load(place)
  const kept = builtInAgents.get("plan")?.permissions ?? []
  // The last rule that fits decides, so what plan may not do stands behind what its user allows.
  expect(agents.get("plan")).toMatchObject({ prompt: "Plan it.", permissions: ["allow bash", ...kept] })
  expect(await toolsOf(place, "plan")).toEqual(["read"])
})

test("[TL6] agents of another program are understood, and never get more than it gave them", async () => {
  await using place = await makeFilePlace()
  const head = "name: reviewer\ndescription: Use it when: x\nmodel: sonnet\ncolor: blue"
  await place.write(
    "project/.claude/agents/code-reviewer.md",
    `---\n${head}\ntools: Read, LS, Bash(git diff:*), Unknown\n---\nYou review.\n`,
  )
  await place.write(
    "project/.claude/agents/all.md",
    "---\ndescription: All.\ndisallowedTools: Write\n---\nAll.\n",
  )
  await place.write("project/.claude/agents/none.md", "---\ndescription: None.\ntools:\n---\nNone.\n")
  await place.write(
    "project/.claude/agents/both.md",
    "---\ndescription: Both.\ntools: Read, Write\nallowed-tools: Read\n---\nBoth.\n",
  )
  const { agents, problems } = await load(place)
  expect(problems).toEqual([])
  expect(agents.get("reviewer")).toMatchObject({ mode: "subagent", model: null, origin: "project" })
  expect(await toolsOf(place, "reviewer")).toEqual(["list", "read"])
  expect(await toolsOf(place, "all")).toEqual(["edit", "list", "read"])
  expect(await toolsOf(place, "none")).toEqual([])
  expect(await toolsOf(place, "both")).toEqual(["read"])
})

test("[TL6] whoever names an agent that is not there is told the nearest", async () => {
  await using place = await makeFilePlace()
  expect(await toolsOf(place, "biuld")).toBe("There is no agent biuld here. Did you mean build?")
  const { configDirectory, project } = place
  const found = await Effect.runPromise(
    findAgent({ configDirectory, disableProject: false }, project, "x\u001b[2J"),
  )
  expect(found).toMatchObject({ reason: { message: expect.stringContaining("x\\u{1b}[2J") as string } })
})

test("[TL6 IN4] with the project's configuration switched off its agents are not there", async () => {
  await using place = await makeFilePlace()
  await place.write("project/.holdfast/agents/theirs.md", "---\ndescription: Theirs.\n---\nTheirs.\n")
  expect((await load(place)).agents.has("theirs")).toBe(true)
  expect((await load(place, true)).agents.has("theirs")).toBe(false)
})

describe("[TL6] a malicious or broken file of a project is left out, and told:", () => {
  const sound = "---\ndescription: It.\n---\nDo it.\n"
  test.each<readonly [string, (place: FilePlace) => Promise<unknown>, string]>([
    [
      "a link that leads out",
      async (place) => {
        await place.write("outside.md", sound)
        await place.link("project/.holdfast/agents/a.md", `${place.root}/outside.md`)
      },
      "It leads out of the project, and is left out.",
    ],
    [
      "a folder that is a link out",
      async (place) => {
        await place.write("outside/a.md", sound)
        await place.link("project/.holdfast/agents", `${place.root}/outside`)
      },
      "It leads out of the project, and is left out.",
    ],
    [
      "a huge file",
      (place) => place.write("project/.holdfast/agents/a.md", sound + "x".repeat(70_000)),
      "It is longer than 65536 bytes, and is left out.",
    ],
    [
      "a name with an escape sequence",
      (place) => place.write("project/.holdfast/agents/a\u001b[2J.md", sound),
      "agents/a\\u{1b}[2J.md: Its name is left out",
    ],
    [
      "a directory in place of a file",
      (place) => place.write("project/.holdfast/agents/a.md/x", sound),
      "This is no file, and is left out.",
    ],
    [
      "a field that is misspelt",
      (place) =>
        place.write(
          "project/.holdfast/agents/a.md",
          "---\ndescription: It.\npermission: deny bash\n---\nDo.\n",
        ),
      "permission is not a field of an agent. Did you mean permissions? The agent is left out.",
    ],
    [
      "no description",
      (place) => place.write("project/.holdfast/agents/a.md", "Do it.\n"),
      "It has no description",
    ],
    [
      "no prompt",
      (place) => place.write("project/.holdfast/agents/a.md", "---\ndescription: It.\n---\n"),
      "It has no prompt",
    ],
    [
      "a number that is none",
      (place) =>
        place.write("project/.holdfast/agents/a.md", "---\ndescription: It.\nsteps: many\n---\nDo.\n"),
      "steps must be a whole number from 1 to 10000.",
    ],
    [
      "front matter that is not closed",
      (place) => place.write("project/.holdfast/agents/a.md", "---\ndescription: It.\nDo it.\n"),
      "The front matter is not closed.",
    ],
  ])("%s", async (_, make, said) => {
    await using place = await makeFilePlace()
    await make(place)
    const { agents, problems } = await load(place)
    expect([...agents.keys()]).toEqual([...builtInAgents.keys()])
    expect(problems).toEqual([expect.stringContaining(said) as string])
  })

  test("escape sequences in description and prompt are written out", async () => {
    await using place = await makeFilePlace()
    await place.write(
      "project/.holdfast/agents/a.md",
      "---\ndescription: It \u001b[31mis\u202E.\n---\nDo\u0007 it.\n",
    )
    const { agents } = await load(place)
    expect(agents.get("a")).toMatchObject({
      description: "It \\u{1b}[31mis\\u{202e}.",
      prompt: "Do\\u{7} it.",
    })
  })
})
