/**
 * `npm start`: one look at Holdfast at work, offline, in a few seconds.
 *
 * A sample project and a data directory are made in a temporary folder and removed again; nothing
 * of the user's home, configuration or keys is read. What runs is the command `holdfast` itself.
 */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { runHoldfast, processTerminal, type Terminal } from "../packages/cli/src/index.ts"
import { count } from "../packages/cli/src/figures.ts"
import { formatTable } from "../packages/cli/src/table.ts"
import { formatLedger } from "../packages/cli/src/turns.ts"
import { startOffline } from "../packages/cli/src/offline.ts"
import { type Holdfast, openHoldfast } from "../packages/sdk/src/index.ts"

const sample: Readonly<Record<string, string>> = {
  "README.md": "# Greeter\n\nPrints a greeting.\n\n## Usage\n\nRun `node greet.js`.\n",
  "AGENTS.md": "Keep answers short.\n",
  "greet.js": 'export const greet = (name) => `Hello, ${name}!`\n\nconsole.log(greet("world"))\n',
}
const firstPrompt = "Read README.md and greet.js, run `node greet.js`, and write what you found to NOTES.md."
const secondPrompt = "Run `cat NOTES.md` once more."

const meanings: Readonly<Record<string, string>> = {
  tools: "tools",
  system: "system (Baseline)",
  agent: "agent prompt",
  tail: "tail (messages)",
}

const nextSteps = `  npm run holdfast -- --help                            every command, with examples
  npm run holdfast -- run "Describe this project."      a Session of your own, still offline
  ANTHROPIC_API_KEY=… npm run holdfast -- run "…"       the same with a paid model
  npm test                                              everything that is promised, tested
`

const folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-start-")))
const offline = await startOffline()
const configuration = { providers: { offline: offline.provider }, model: "offline/agent" }
try {
  await place(join(folder, "config", "holdfast.jsonc"), JSON.stringify(configuration))
  process.exitCode = await show(folder)
} finally {
  await offline.close()
  await rm(folder, { recursive: true, force: true })
}

async function show(root: string): Promise<number> {
  const project = join(root, "greeter")
  const dataDir = join(root, "data")
  const terminal = sampleTerminal(root)
  for (const [name, text] of Object.entries(sample)) await place(join(project, name), text)

  title(terminal, "A prompt, and three tools")
  prompt(terminal, firstPrompt)
  const store = ["--data-dir", dataDir, "--allow", "write,bash"]
  const first = await runHoldfast(["run", ...store, "--dir", project, firstPrompt], terminal)
  if (first !== 0) return first

  const sessionID = await newestSession(dataDir, terminal)
  title(terminal, "The same Session in a second run, after AGENTS.md has changed")
  await place(join(project, "AGENTS.md"), "Keep answers short. Name files by their path.\n")
  prompt(terminal, secondPrompt)
  const second = await runHoldfast(["run", ...store, "--session", sessionID, secondPrompt], terminal)
  if (second !== 0) return second

  await using holdfast = await openHoldfast({ dataDir, environment: terminal.environment })
  await showRecords(holdfast, sessionID, terminal)
  terminal.write(`\n${terminal.paint("bold", "Try next")}\n${nextSteps}`)
  return 0
}

async function showRecords({ sessions }: Holdfast, sessionID: string, terminal: Terminal): Promise<void> {
  title(terminal, "Its window: what the next request begins with")
  const segments = await sessions.window({ sessionID })
  const rows = segments.map(({ name, blocks, tokens }) => [
    meanings[name] ?? name,
    count(blocks),
    count(tokens),
  ])
  const columns = [
    { title: "SEGMENT" },
    { title: "BLOCKS", right: true },
    { title: "TOKENS (ESTIMATE)", right: true },
  ]
  terminal.write(`${formatTable(columns, rows)}\n`)

  title(terminal, "Its system messages: hidden from the conversation, told to the model where they stand")
  for (const message of await sessions.messages({ sessionID, system: true })) {
    if (message.kind === "system") terminal.write(`${terminal.paint("dim", message.text.trimEnd())}\n`)
  }

  title(terminal, "Its ledger, and every request rebuilt from the log")
  const turns = await sessions.turns({ sessionID })
  terminal.write(`${formatLedger(turns, await sessions.verify({ sessionID }))}\n`)
}

/** A terminal like that of this process, whose environment leads nowhere outside the folder. */
function sampleTerminal(root: string): Terminal {
  const { PATH, LANG, TERM, NO_COLOR } = process.env
  const places = {
    HOME: root,
    HOLDFAST_CONFIG_DIR: join(root, "config"),
    HOLDFAST_DATA_DIR: join(root, "data"),
  }
  return { ...processTerminal(), environment: { PATH, LANG, TERM, NO_COLOR, ...places } }
}

async function newestSession(dataDir: string, { environment }: Terminal): Promise<string> {
  await using holdfast = await openHoldfast({ dataDir, environment })
  const [newest] = await holdfast.sessions.list({ limit: 1 })
  if (newest === undefined) throw new Error("The run left no Session behind.")
  return newest.id
}

async function place(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

function title(terminal: Terminal, text: string): void {
  terminal.write(`\n${terminal.paint("bold", `── ${text}`)}\n\n`)
}

function prompt(terminal: Terminal, text: string): void {
  terminal.write(`${terminal.paint("cyan", `> ${text}`)}\n`)
}
