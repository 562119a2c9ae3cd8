/**
 * Commands: named prompts with arguments, from files of the user and the project (TL6).
 *
 * A command is words and nothing else: what it asks for is done by the agent of the Session, under the
 * permissions of that. Fields of other programs that would choose tools or models are passed over.
 */
import { Effect, Result } from "effect"
import type { InstructionFiles } from "../instructions/files.ts"
import { findMarkdown, type MarkdownFile, type MarkdownProblem, problemOf } from "../markdown/files.ts"
import { readFrontMatter } from "../markdown/front-matter.ts"
import { markdownPlaces, type MarkdownSettings } from "../markdown/places.ts"
import { visible } from "../markdown/visible.ts"

export interface Command {
  readonly name: string
  readonly template: string
}

export interface LoadedCommands {
  readonly commands: ReadonlyMap<string, Command>
  readonly problems: readonly MarkdownProblem[]
}

/** `projectRoot` is canonical; null looks at the user's alone. A name of the user stays the user's. */
export const loadCommands = Effect.fnUntraced(function* (
  settings: MarkdownSettings,
  projectRoot: string | null,
  files: InstructionFiles,
): Effect.fn.Return<LoadedCommands> {
  const places = markdownPlaces("commands", settings, projectRoot)
  const found = yield* findMarkdown(places, { named: "*.md" }, files)
  const commands = new Map<string, Command>()
  const problems = [...found.problems]
  for (const file of found.files) {
    const read = readCommand(file)
    if (Result.isFailure(read)) problems.push(read.failure)
    else if (commands.has(file.name)) problems.push(problemOf(file.path, taken(file.name)))
    else commands.set(file.name, read.success)
  }
  return { commands, problems }
})

const taken = (name: string): string =>
  `There is a command /${name} already, which stays. Give this one another name.`

function readCommand({ name, path, text }: MarkdownFile): Result.Result<Command, MarkdownProblem> {
  const fail = (message: string, line = 0) =>
    Result.fail(problemOf(path, `${message} The command is left out.`, line))
  const read = readFrontMatter(text)
  if (Result.isFailure(read)) return fail(read.failure.message, read.failure.line)
  const template = visible(read.success.body).trim()
  return template === ""
    ? fail("It has no text: write the prompt below the front matter.")
    : Result.succeed({ name, template })
}
