/** `holdfast agents`: who can work here, and where they are described. */
import { describeAgents } from "@holdfast/sdk"
import { warn } from "../opened.ts"
import { type Column, showTable } from "../table.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface ListOptions {
  readonly json?: boolean
}

export async function listAgents(terminal: Terminal, { json }: ListOptions): Promise<number> {
  const { environment, directory } = terminal
  const { agents, problems } = await describeAgents({ environment, directory })
  if (json === true) for (const agent of agents) terminal.write(`${JSON.stringify(agent)}\n`)
  else {
    const rows = agents.map(({ name, mode, origin, file, description }) => [
      name,
      mode,
      file === null ? origin : printable(`${origin}: ${file}`),
      printable(description),
    ])
    await showTable(terminal, columns, rows)
  }
  for (const problem of problems) warn(terminal, problem)
  return 0
}

const columns: readonly Column[] = [
  { title: "agent" },
  { title: "mode" },
  { title: "from", cutTo: 12, leave: 1 },
  { title: "what it is for", cutTo: 20 },
]
