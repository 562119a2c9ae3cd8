/**
 * What a command line touches: every simple command in it, the files that it redirects from and to,
 * and the paths that read-only commands look at.
 *
 * `cd` may succeed or not, so behind it a path counts from either directory. A text that cannot be
 * taken apart is one resource by itself, which no pattern fits.
 */
import { homedir } from "node:os"
import { resolve } from "node:path"
import { Effect } from "effect"
import { commandPathResources, distinct } from "../resources.ts"
import type { Place, Resource } from "../verdict.ts"
import { loadGrammar } from "./grammar.ts"
import { type CommandReading, readCommand, type Step } from "./read-command.ts"
import { readPaths } from "./read-only.ts"
import { wholeCommand, writeWords } from "./words.ts"

export const commandResources = Effect.fnUntraced(function* (
  command: string,
  place: Place,
  home: string = homedir(),
): Effect.fn.Return<readonly Resource[]> {
  const parse = yield* loadGrammar
  const whole: Resource = { action: "bash", resource: wholeCommand(command) }
  if (parse === null) return [whole]
  const reading = readCommand(command, home, parse)
  const visited = visitedBy(reading, place)
  const files = yield* Effect.forEach(visited.paths, ({ action, path, directory }) =>
    commandPathResources(action, path, { ...place, directory }),
  )
  return distinct([...(visited.complete ? commandsOf(reading) : [whole]), ...files.flat()])
})

const commandsOf = ({ steps }: CommandReading): readonly Resource[] =>
  steps.flatMap((step) =>
    step.kind === "command" ? [{ action: "bash", resource: writeWords(step.words) }] : [],
  )

interface VisitedPath {
  readonly action: "read" | "write"
  readonly path: string
  /** The directory that it counts from. */
  readonly directory: string
}

const directoriesMax = 8

function visitedBy(
  { steps, complete }: CommandReading,
  { directory, projectRoot }: Place,
): { readonly paths: readonly VisitedPath[]; readonly complete: boolean } {
  let directories = [directory]
  let understood = complete
  const paths: VisitedPath[] = []
  for (const step of steps) {
    const [name, target] = step.kind === "file" ? [] : step.words
    // Paths in revisions count from the root of the repository.
    const bases = name?.text === "git" ? [...directories, projectRoot] : directories
    for (const { action, path } of pathsOf(step))
      for (const from of bases) paths.push({ action, path, directory: from })
    if (name?.text === "cd" && target !== undefined)
      directories = [...new Set([...directories, ...directories.map((from) => resolve(from, target.text))])]
    // Elsewhere a repository may have settings that run a program of its own.
    const elsewhere = directories.some((each) => each !== directory && each !== projectRoot)
    if (directories.length > directoriesMax || (name?.text === "git" && elsewhere)) understood = false
  }
  return { paths, complete: understood }
}

const pathsOf = (step: Step): readonly Pick<VisitedPath, "action" | "path">[] =>
  step.kind === "file"
    ? [{ action: step.action, path: step.path }]
    : (readPaths(step.words) ?? []).map((path) => ({ action: "read", path }))
