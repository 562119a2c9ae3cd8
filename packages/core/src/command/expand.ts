/**
 * The prompt that a command makes of its arguments: `$ARGUMENTS` is all of them, `$1` to `$9` one each.
 *
 * Each place is filled once, from the template alone: what an argument holds is never read again.
 */
import { Result } from "effect"
import { nearNames } from "@holdfast/schema/near-names"
import type { Command } from "./load.ts"

/** A typed line that calls a command, or null where it is only a text. */
export function readCall(text: string): { readonly name: string; readonly rest: string } | null {
  const found = /^\/([A-Za-z0-9][A-Za-z0-9._-]*)(?:\s+([^]*))?$/.exec(text)
  return found === null ? null : { name: found[1] ?? "", rest: (found[2] ?? "").trim() }
}

/** A text that begins with a slash is written with two. */
export const plainText = (text: string): string => (text.startsWith("//") ? text.slice(1) : text)

export function expandCommand(
  commands: ReadonlyMap<string, Command>,
  { name, rest }: { readonly name: string; readonly rest: string },
): Result.Result<string, string> {
  const command = commands.get(name)
  if (command === undefined) return Result.fail(notFound(name, [...commands.keys()]))
  if (/!`[^`]*`/.test(command.template)) return Result.fail(runsSomething(name))
  return Result.succeed(fill(command.template, rest))
}

function notFound(name: string, known: readonly string[]): string {
  const near = nearNames(name, known)[0]
  const listed =
    known.length === 0 ? "There are none here." : `There are ${known.map((each) => `/${each}`).join(", ")}.`
  const advice = near === undefined ? listed : `Did you mean /${near}?`
  return `There is no command /${name}. ${advice} To begin a prompt with a slash, write two.`
}

const runsSomething = (name: string): string =>
  `The command /${name} would run a shell command, which commands cannot do yet. Take what stands in !\`…\` out of it, and let the agent run it.`

function fill(template: string, rest: string): string {
  const words = wordsOf(rest)
  return template.replaceAll(/\$(ARGUMENTS\b|[1-9](?!\d))/g, (_, place: string) =>
    place === "ARGUMENTS" ? rest : (words[Number(place) - 1] ?? ""),
  )
}

/** By blanks; quotes hold together. */
const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  )
