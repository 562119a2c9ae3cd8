/**
 * The prompt that a command makes of its arguments: `$ARGUMENTS` is all of them, `$1` to `$9` one each.
 *
 * Each place is filled once, from the template alone: what an argument holds is never read again. What
 * stands in !`…` becomes a call that the prompt brings with it, so it is asked for like any other.
 */
import { Result } from "effect"
import { nearNames } from "@holdfast/schema/names/near-names"
import type { PromptCall } from "@holdfast/schema/prompt"
import type { Command } from "./load.ts"

export interface ExpandedPrompt {
  readonly text: string
  readonly calls: readonly PromptCall[]
}

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
): Result.Result<ExpandedPrompt, string> {
  const command = commands.get(name)
  if (command === undefined) return Result.fail(notFound(name, [...commands.keys()]))
  const calls: PromptCall[] = []
  const text = command.template
    .split(/(!`[^`\n]+`)/)
    .map((piece, at) => {
      if (at % 2 === 0) return fill(piece, rest)
      const argument = fill(piece.slice(2, -1), rest)
      calls.push({ tool: "bash", argument })
      return `\`${argument}\` (run; its result follows)`
    })
    .join("")
  return Result.succeed({ text, calls })
}

function notFound(name: string, known: readonly string[]): string {
  const near = nearNames(name, known)[0]
  const listed =
    known.length === 0 ? "There are none here." : `There are ${known.map((each) => `/${each}`).join(", ")}.`
  const advice = near === undefined ? listed : `Did you mean /${near}?`
  return `There is no command /${name}. ${advice} To begin a prompt with a slash, write two.`
}

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
