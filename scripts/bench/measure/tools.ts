/**
 * What tools cost: the dispatch of a call above its tool, the parse of a command, the edit of a file.
 *
 * Dispatch is measured between the calls of one answer, ten that may not run side by side: from the first
 * start to the last end, without the time inside the tools, for each of the nine that follow another. The
 * settlement of one call, what the rules say to the next, and the synced commit of both lie in it. A parse is
 * the fastest of three in a row: the slowest percent of single ones would be that of the neighbours.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { loadGrammar } from "@holdfast/core/permission/shell/grammar"
import { readCommand } from "@holdfast/core/permission/shell/read-command"
import { createFileRecord } from "@holdfast/core/tools/file/record"
import { createOutputSink, editTool, readTool } from "@holdfast/core/tools/index"
import type { Tool } from "@holdfast/core/tools/tool"
import { writeHistory } from "../history.ts"
import type { Reading, Readings } from "../report.ts"
import { makeFolders, removeFolders, takeTurn } from "../runtime.ts"
import {
  type Amount,
  bestRound,
  lowest,
  msOf,
  nowNs,
  percentile,
  samplesOf,
  type Spread,
  spreadOf,
} from "../sample.ts"
import { warm, withRuntime } from "./turns.ts"

const samplesEach = 200
const warmTurns = 10
const triesEach = 3

export async function measureDispatch(amount: Amount): Promise<Readings> {
  const spans: { readonly startNs: number; readonly endNs: number }[] = []
  const timed: Tool = {
    ...readTool,
    name: "timed-step",
    readOnly: false,
    run: (input, context) =>
      Effect.suspend(() => {
        const startNs = nowNs()
        return Effect.ensuring(
          readTool.run(input, context),
          Effect.sync(() => void spans.push({ startNs, endNs: nowNs() })),
        )
      }),
  }
  return withRuntime({ tools: [timed] }, async (opened, provider) => {
    const samples = samplesOf(amount, samplesEach)
    const rounds: Spread[] = []
    for (let round = 0; round < amount.rounds; round++) {
      const session = await writeHistory(opened, { messages: 3_000, mode: "steps" })
      await warm(opened, session, warmTurns)
      const times: number[] = []
      for (let i = 0; i < samples; i++) {
        spans.length = 0
        await takeTurn(opened, session)
        times.push(aboveTools(spans))
      }
      rounds.push(spreadOf(times))
    }
    await provider.take()
    return { "dispatch-3000": bestRound(rounds, samples) }
  })
}

/** Milliseconds for each call that followed another. */
function aboveTools(spans: readonly { readonly startNs: number; readonly endNs: number }[]): number {
  const [first, last] = [spans[0], spans.at(-1)]
  if (first === undefined || last === undefined || spans.length < 2) throw new Error("There were no calls.")
  const inside = spans.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0)
  return msOf(last.endNs - first.startNs - inside) / (spans.length - 1)
}

/** Commands as models write them, the long ones included. */
const commands: readonly string[] = [
  "git status",
  "npm test -- --run packages/core",
  "cd packages/core && npx tsc --noEmit -p . 2>&1 | head -40",
  "grep -rn 'createToolRegistry' src --include='*.ts' | grep -v test | sort | uniq -c | sort -rn | head",
  "for f in $(git ls-files '*.md'); do wc -l \"$f\"; done | sort -n | tail -5",
  "find . -name '*.ts' -not -path '*/node_modules/*' | xargs wc -l | tail -1",
  "if [ -f package.json ]; then node -e 'console.log(require(\"./package.json\").version)'; fi",
  "docker compose exec -T db psql -U app -c \"select count(*) from users where created_at > now() - interval '1 day'\"",
  "cat > notes.md <<'END'\n# Notes\n\nOne line, and another.\nEND\ngit add notes.md && git commit -m 'docs: notes'",
  "curl -fsSL https://example.com/install.sh -o /tmp/install.sh && sha256sum /tmp/install.sh",
  "python3 - <<'END'\nimport json\nfor line in open('log.jsonl'):\n    print(json.loads(line)['level'])\nEND",
  "(cd web && npm ci && npm run build) && tar czf web.tgz -C web/dist . && ls -l web.tgz",
]

export async function measureParse(amount: Amount): Promise<Readings> {
  const parse = await Effect.runPromise(loadGrammar)
  if (parse === null) throw new Error("There is no grammar.")
  const samples = samplesOf(amount, 10 * samplesEach)
  const read = (index: number): number => {
    const command = commands[index % commands.length] ?? ""
    const tries = Array.from({ length: triesEach }, () => {
      const startNs = nowNs()
      readCommand(command, "/home/bench", parse)
      return msOf(nowNs() - startNs)
    })
    return lowest(tries)
  }
  for (let i = 0; i < samplesEach; i++) read(i)
  const rounds = Array.from({ length: amount.rounds }, () =>
    Array.from({ length: samples }, (_, i) => read(i)),
  )
  const value = lowest(rounds.map((times) => percentile(times, 0.99)))
  const note = `p50 ${lowest(rounds.map((times) => percentile(times, 0.5))).toFixed(3)} ms`
  return { "command-parse": { value, samples, rounds: amount.rounds, note } }
}

const line = "const value = compute(first, second) // one of many lines that look like this one\n"

export async function measureEdit(amount: Amount): Promise<Readings> {
  const folders = makeFolders()
  try {
    const path = join(folders.project, "large.ts")
    const half = line.repeat(Math.ceil(500_000 / line.length))
    const states = ["let there = 1\n", "let there = 2\n"]
    const samples = samplesOf(amount, samplesEach)
    const edit = async (index: number): Promise<number> => {
      const [oldText = "", newText = ""] = index % 2 === 0 ? states : states.toReversed()
      const input = { path: "large.ts", oldText, newText }
      const startNs = nowNs()
      const run = editTool.run(input, {
        callId: `bench${index}`,
        directory: folders.project,
        output: createOutputSink(),
        files: createFileRecord(),
      })
      await Effect.runPromise(run)
      return msOf(nowNs() - startNs)
    }
    const rounds: Spread[] = []
    for (let round = 0; round < amount.rounds; round++) {
      writeFileSync(path, half + (states[0] ?? "") + half)
      const times: number[] = []
      for (let i = 0; i < samples; i++) times.push(await edit(i))
      rounds.push(spreadOf(times))
    }
    const reading: Reading = bestRound(rounds, samples)
    return { "edit-1mb": reading }
  } finally {
    removeFolders(folders)
  }
}
