/** The tool `skill`: the text of one skill, and the folder where its other files lie (SK1). */
import { readdir } from "node:fs/promises"
import { Effect, Schema } from "effect"
import { findProjectRoot, nodeInstructionFiles } from "../instructions/index.ts"
import type { MarkdownSettings } from "../markdown/places.ts"
import { visibleLine } from "../markdown/visible.ts"
import { nearNames } from "@holdfast/schema/near-names"
import { defineTool, type Tool, ToolFailure } from "../tools/tool.ts"
import { loadSkills, type Skill, skillFileName } from "./load.ts"

export const skillToolName = "skill"
const filesMax = 50

export const createSkillTool = (settings: MarkdownSettings): Tool =>
  defineTool({
    name: skillToolName,
    description:
      "Loads a skill by its name: instructions for particular work, and the folder with the files that belong to it. Load a skill before you begin the work that it describes.",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string", description: "The name of the skill, as it is listed." } },
      required: ["name"],
      additionalProperties: false,
    },
    repeatable: true,
    readOnly: true,
    input: Schema.Struct({ name: Schema.String }),
    resources: ({ name }) => Effect.succeed([{ action: skillToolName, resource: name }]),
    run: Effect.fnUntraced(function* ({ name }, { directory }) {
      const { root } = yield* findProjectRoot(directory, nodeInstructionFiles)
      const { skills } = yield* loadSkills(settings, root, nodeInstructionFiles)
      const skill = skills.find((each) => each.name === name)
      if (skill === undefined) return yield* notFound(name, skills)
      const files = yield* Effect.promise(() => filesOf(skill.folder))
      return { text: textOf(skill, files), structured: { name, folder: skill.folder, files } }
    }),
  })

function notFound(name: string, skills: readonly Skill[]): ToolFailure {
  const names = skills.map((each) => each.name)
  const near = nearNames(name, names)[0]
  const advice =
    names.length === 0
      ? "There are none here."
      : near === undefined
        ? `There are ${names.join(", ")}.`
        : `Did you mean ${near}?`
  const message = `There is no skill ${visibleLine(name, nameCharactersMax)}. ${advice}`
  return new ToolFailure({ code: "skill_not_found", message })
}

const nameCharactersMax = 64

function textOf({ name, folder, body }: Skill, files: readonly string[]): string {
  const others = files.length === 0 ? "" : `\nFiles in it: ${files.join(", ")}`
  return `# Skill ${name}\n\nFolder: ${folder}${others}\n\n${body}`
}

/** Names in the folder itself; what lies deeper is found from there. */
async function filesOf(folder: string): Promise<readonly string[]> {
  try {
    const names = (await readdir(folder)).filter((name) => name !== skillFileName).sort()
    return names.slice(0, filesMax).map((name) => visibleLine(name, nameCharactersMax * 4))
  } catch {
    return [] // gone meanwhile: the text is there all the same
  }
}
