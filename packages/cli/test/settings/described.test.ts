/** What files describe, on the command line: agents, skills and commands. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { runCommand } from "../terminal.ts"

async function makePlace() {
  const root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-agents-")))
  const environment = { HOLDFAST_CONFIG_DIR: join(root, "config"), HOLDFAST_DATA_DIR: join(root, "data") }
  const project = join(root, "project")
  await mkdir(join(project, ".git"), { recursive: true })
  await mkdir(join(project, ".holdfast/agents"), { recursive: true })
  return {
    agents: join(project, ".holdfast/agents"),
    write: async (path: string, text: string) => {
      await mkdir(dirname(join(project, path)), { recursive: true })
      await writeFile(join(project, path), text)
    },
    run: (...argv: readonly string[]) => runCommand(argv, { directory: project, environment }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

test("[TL6] agents are listed with mode, origin and what they are for; what is left out is told", async () => {
  await using place = await makePlace()
  await writeFile(
    join(place.agents, "review.md"),
    "---\ndescription: Reads \u001b[31mchanges.\n---\nReview.\n",
  )
  await writeFile(join(place.agents, "build.md"), "---\ndescription: Theirs.\n---\nTheirs.\n")
  const { code, out, err } = await place.run("agents")
  expect(code).toBe(0)
  expect(out.replaceAll(/ {2,}/g, " | ").split("\n").slice(0, 6)).toEqual([
    "agent | mode | from | what it is for",
    "build | primary | built-in | Does the work: reads, changes, runs and checks.",
    "plan | primary | built-in | Says how a task is to be done, and changes nothing.",
    "explore | subagent | built-in | Looks for something and answers with the places, and changes nothing.",
    "general | subagent | built-in | Does one piece of work for another agent, and reports.",
    `review | primary | project: ${place.agents}/review.md | Reads \\u{1b}[31mchanges.`,
  ])
  expect(err).toContain(`Warning: ${place.agents}/build.md: There is an agent build already (built in)`)
  const { out: json } = await place.run("agents", "--json")
  expect(JSON.parse(json.trim().split("\n").at(-1) ?? "")).toMatchObject({
    name: "review",
    origin: "project",
  })
})

test("[TL6 CO4] a run and a set choose the agent; one that is not there changes nothing", async () => {
  await using place = await makePlace()
  const made = await place.run("run", "--agent", "plan", "Hello.")
  const session = /Session (ses_\w+)/.exec(made.out)?.[1] ?? ""
  const agentOf = async () =>
    (JSON.parse((await place.run("set", session, "--title", "Mine", "--json")).out) as { agent: string })
      .agent
  expect([made.code, await agentOf()]).toEqual([0, "plan"])
  const refused = await place.run("run", "--agent", "biuld", "Hello.")
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("Did you mean build?") as string])
  const notSet = await place.run("set", session, "--agent", "nobody", "--title", "Other")
  expect([notSet.code, await agentOf()]).toEqual([2, "plan"])
  expect((await place.run("set", session, "--agent", "build")).code).toBe(0)
  expect(await agentOf()).toBe("build")
  expect((await place.run("run", "--session", session, "--agent", "plan", "Again.")).code).toBe(0)
  expect(await agentOf()).toBe("plan")
})

test("[TL6] a run in a project warns of agents that are left out", async () => {
  await using place = await makePlace()
  await writeFile(join(place.agents, "plan.md"), "---\ndescription: Theirs.\n---\nTheirs.\n")
  const { err } = await place.run("run", "Hello.")
  expect(err).toContain(`Warning: ${place.agents}/plan.md: There is an agent plan already`)
})

test("[SK1] skills are listed with their folder; what is left out is told", async () => {
  await using place = await makePlace()
  expect((await place.run("skills")).out).toBe("There are no skills here.\n")
  await place.write(".holdfast/skills/release/SKILL.md", "---\ndescription: Makes a release.\n---\nDo it.\n")
  await place.write(".agents/skills/bad/SKILL.md", "Nothing.\n")
  const { code, out, err } = await place.run("skills", "--json")
  expect([code, JSON.parse(out)]).toEqual([
    0,
    {
      name: "release",
      description: "Makes a release.",
      origin: "project",
      folder: expect.stringMatching(/skills\/release$/) as string,
    },
  ])
  expect(err).toContain("bad/SKILL.md: It has no description")
})

test("[TL6] a run sends the prompt of a command, filled with its words", async () => {
  await using place = await makePlace()
  await place.write(".holdfast/commands/say.md", "---\ndescription: Says.\n---\nHello $1, and $ARGUMENTS.\n")
  const promptOf = async (...argv: readonly string[]) => {
    const { out, err } = await place.run("run", "--json", ...argv)
    const prompts = out.split("\n").flatMap((line) => /"text":"((?:Hello|\/)[^"]*)"/.exec(line)?.[1] ?? [])
    return prompts[0] ?? err
  }
  expect(await promptOf("/say", "Ada", "Bob")).toBe("Hello Ada, and Ada Bob.")
  expect(await promptOf("//say nothing")).toBe("/say nothing")
  expect(await promptOf("/sya")).toContain("There is no command /sya. Did you mean /say?")
})

test("[TL6 PE1] a run reads files that its text mentions; what a command would run is declined where nobody can be asked", async () => {
  await using place = await makePlace()
  await place.write("notes.txt", "Buy milk.\n")
  const typed = await place.run("run", "--json", "What is in @notes.txt?")
  expect([typed.code, typed.out]).toEqual([0, expect.stringContaining("Buy milk.") as string])
  expect(typed.out).toContain('"attempts":[],')
  await place.write(".holdfast/commands/mark.md", "State: !`touch ran`\n")
  const declined = await place.run("run", "--json", "/mark")
  const last = JSON.parse(declined.out.trim().split("\n").at(-1) ?? "") as object
  expect([declined.code, last]).toMatchObject([0, { declined: [{ name: "bash" }] }])
})

test("[EP11] a run shows what the model is told in between on request", async () => {
  await using place = await makePlace()
  await place.write("AGENTS.md", "Be kind.\n")
  const made = await place.run("run", "Hello.")
  await place.write("AGENTS.md", "Be brief.\n")
  const again = await place.run("run", "--continue", "Hello again.")
  await place.write("AGENTS.md", "Be exact.\n")
  const told = await place.run("run", "--continue", "--system", "And again.")
  expect([made.code, again.code, told.code]).toEqual([0, 0, 0])
  expect([again.out.includes("Be brief."), told.out.includes("Be exact.")]).toEqual([false, true])
})
