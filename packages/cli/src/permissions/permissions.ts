/** `holdfast permissions`: which rules are in force, and what they would say to something. */
import { resolve } from "node:path"
import {
  type Explanation,
  explainPermission,
  listPermissions,
  type PermissionsOptions as Where,
} from "@holdfast/sdk"
import { UsageError } from "../outcome/outcome.ts"
import { showTable } from "../table.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface PermissionsOptions {
  readonly json?: boolean
  readonly dataDir?: string
  readonly dir?: string
  readonly agent?: string
}

export async function listRules(terminal: Terminal, options: PermissionsOptions): Promise<number> {
  const rules = await listPermissions(whereOf(terminal, options))
  if (options.json === true) for (const rule of rules) terminal.write(`${JSON.stringify(rule)}\n`)
  else
    await showTable(
      terminal,
      [
        { title: "rule", cutTo: 20 },
        { title: "from", cutTo: 20 },
      ],
      rules.map(({ rule, from }) => [printable(rule), printable(from)]),
    )
  return 0
}

export async function explainRules(
  terminal: Terminal,
  words: readonly string[],
  options: PermissionsOptions,
): Promise<number> {
  const [action = "", ...about] = words
  const asked = about.length === 0 ? action : `${action}(${about.join(" ")})`
  const explanation = await explainPermission(asked, whereOf(terminal, options))
  if (explanation === null) {
    throw new UsageError(
      `${asked} cannot be judged. Name an action and what it is about, as in holdfast permissions explain 'write(src/a.ts)'.`,
    )
  }
  if (options.json === true) terminal.write(`${JSON.stringify({ asked, ...explanation })}\n`)
  else terminal.write(`${printable(tell(explanation))}\n`)
  return 0
}

const whereOf = ({ directory, environment }: Terminal, options: PermissionsOptions): Where => ({
  environment,
  directory: resolve(directory, options.dir ?? "."),
  ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
  ...(options.agent === undefined ? {} : { agent: options.agent }),
})

/** The verdict first, then why, one line for everything that it would touch. */
function tell({ verdict, reasons }: Explanation): string {
  const lines = reasons.map(({ effect, touches, rule, from }) =>
    rule === null ? `  ${effect}: ${touches}: ${from}` : `  ${effect}: ${touches}: by "${rule}" of ${from}`,
  )
  return [verdicts[verdict], ...lines].join("\n")
}

const verdicts = {
  allow: "It is allowed.",
  ask: "It is asked for.",
  deny: "It is denied.",
} as const
