/** `holdfast skills`: what agents can load here, and where it lies. */
import { describeSkills } from "@holdfast/sdk"
import { warn } from "../opened.ts"
import { type Column, showTable } from "../table.ts"
import { printable, type Terminal } from "../terminal.ts"
import type { ListOptions } from "./agents.ts"

export async function listSkills(terminal: Terminal, { json }: ListOptions): Promise<number> {
  const { environment, directory } = terminal
  const { skills, problems } = await describeSkills({ environment, directory })
  if (json === true) for (const skill of skills) terminal.write(`${JSON.stringify(skill)}\n`)
  else if (skills.length === 0) terminal.write("There are no skills here.\n")
  else {
    const rows = skills.map(({ name, origin, folder, description }) => [
      name,
      printable(`${origin}: ${folder}`),
      printable(description),
    ])
    await showTable(terminal, columns, rows)
  }
  for (const problem of problems) warn(terminal, problem)
  return 0
}

const columns: readonly Column[] = [
  { title: "skill" },
  { title: "from", cutTo: 12, leave: 1 },
  { title: "what it is for", cutTo: 20 },
]
