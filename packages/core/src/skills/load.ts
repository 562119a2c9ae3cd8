/**
 * Skills: folders with a `SKILL.md` that says what it is good for and how it is done.
 *
 * The model is told names and descriptions (SK1); the text and the place of a skill come through the
 * tool `skill` alone. Of two with the same name the user's stands before the project's.
 */
import { dirname } from "node:path"
import { Effect, Result } from "effect"
import type { InstructionFiles } from "../instructions/files.ts"
import { findMarkdown, type MarkdownFile, type MarkdownProblem, problemOf } from "../markdown/files.ts"
import { readFrontMatter } from "../markdown/front-matter.ts"
import { markdownPlaces, type MarkdownSettings } from "../markdown/places.ts"
import { visible, visibleLine } from "../markdown/visible.ts"

export interface Skill {
  readonly name: string
  readonly description: string
  readonly origin: "user" | "project"
  /** Where its other files lie. */
  readonly folder: string
  readonly body: string
}

export interface LoadedSkills {
  /** In the order of their names. */
  readonly skills: readonly Skill[]
  readonly problems: readonly MarkdownProblem[]
}

export const skillFileName = "SKILL.md"
const descriptionCharactersMax = 1_024

/** `projectRoot` is canonical; null looks at the user's alone. */
export const loadSkills = Effect.fnUntraced(function* (
  settings: MarkdownSettings,
  projectRoot: string | null,
  files: InstructionFiles,
): Effect.fn.Return<LoadedSkills> {
  const places = markdownPlaces("skills", settings, projectRoot)
  const found = yield* findMarkdown(places, { within: skillFileName }, files)
  const skills = new Map<string, Skill>()
  const problems = [...found.problems]
  for (const file of found.files) {
    const read = readSkill(file)
    if (Result.isFailure(read)) problems.push(read.failure)
    else if (skills.has(read.success.name)) problems.push(problemOf(file.path, taken(read.success.name)))
    else skills.set(read.success.name, read.success)
  }
  return { skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), problems }
})

const taken = (name: string): string =>
  `There is a skill ${name} already, which stays. Give the folder of this one another name.`

/** It goes by the name of its folder; fields that mean something elsewhere are passed over. */
function readSkill({ name, path, place, text }: MarkdownFile): Result.Result<Skill, MarkdownProblem> {
  const fail = (message: string, line = 0) =>
    Result.fail(problemOf(path, `${message} The skill is left out.`, line))
  const read = readFrontMatter(text)
  if (Result.isFailure(read)) return fail(read.failure.message, read.failure.line)
  const { fields, body } = read.success
  const given = fields.get("description") ?? ""
  const description = visibleLine(
    typeof given === "string" ? given : given.join(", "),
    descriptionCharactersMax,
  )
  if (description === "") return fail("It has no description: say in the front matter when to use it.")
  return Result.succeed({
    name,
    description,
    origin: place.origin,
    folder: dirname(path),
    body: visible(body).trim(),
  })
}
