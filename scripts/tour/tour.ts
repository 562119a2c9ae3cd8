/**
 * The tour: scenes on one stage, then the books.
 *
 *   fresh    a folder ───────────────────▶ server ─▶ scenes ─────────────────▶ books ─▶ folder removed
 *   go on    the folder of a killed tour ─▶ server ─▶ what is owed ─▶ the rest ─▶ books ─▶ …
 *
 * A scene is left out if its prompt is in the log already. If something fails or does not balance,
 * the folder is kept for whoever wants to look.
 */
import { bundle } from "../bundle.ts"
import { findFolder, makeFolder, type TourFolder } from "./folder.ts"
import { help, type Pace, readOptions } from "./options.ts"
import { startProvider } from "./provider.ts"
import { prompts } from "./sample.ts"
import { showNextSteps } from "./scenes/next-steps.ts"
import { makeScreen, type Screen } from "./screen.ts"
import { endLeftover, startServer } from "./server-process.ts"
import type { Stage } from "./stage.ts"

const interruptedCode = 130

export async function takeTour(argv: readonly string[]): Promise<number> {
  const read = readOptions(argv)
  if (read.kind === "help") {
    process.stdout.write(help)
    return 0
  }
  if (read.kind === "wrong") return refuse(`${read.problem}\n\n${help}`)
  const { goOn, pace, seed } = read.options
  const screen = makeScreen()
  if (goOn === null) {
    introduce(screen)
    const folder = await makeFolder(seed)
    invite(screen, folder)
    return play(screen, folder, pace)
  }
  const found = await findFolder(goOn)
  if (found.kind === "refused") return refuse(`${found.problem}\n`)
  screen.title("Holdfast, carried on")
  invite(screen, found.folder)
  return play(screen, found.folder, pace)
}

function introduce(screen: Screen): void {
  screen.title("Holdfast")
  screen.line(
    "It keeps what an AI agent does on disk, step by step: every prompt, every answer, every call of a tool. Kill it anywhere; it carries on, and does nothing twice.",
  )
  screen.line()
}

function invite(screen: Screen, { root }: TourFolder): void {
  screen.line(`See for yourself. This is process ${process.pid}; kill it whenever you like:`)
  screen.line()
  screen.row(screen.paint("cyan", `kill -9 ${process.pid}; npm start -- --go-on ${root}`))
}

async function play(screen: Screen, folder: TourFolder, pace: Pace): Promise<number> {
  let stage: Stage | null = null
  let balances = false
  onStop(async () => {
    await stage?.close()
    await folder.remove()
  })
  try {
    stage = await prepare(screen, folder, pace)
    await stage.carryOn()
    const { scenes, showRecall, showBooks } = await loadScenes()
    for (const { prompt, show } of scenes) {
      if (stage.isKnown(prompt)) continue
      await stage.rest()
      await show(stage)
    }
    await stage.rest()
    await showRecall(stage)
    await stage.rest()
    balances = await showBooks(stage)
  } catch (failure) {
    screen.line(`The tour broke off: ${failure instanceof Error ? failure.message : String(failure)}`, "red")
  } finally {
    await stage?.close()
  }
  if (!balances) {
    screen.row(`Everything is kept in ${folder.root}`)
    return 1
  }
  await folder.remove()
  showNextSteps(screen, folder)
  return 0
}

async function prepare(screen: Screen, folder: TourFolder, pace: Pace): Promise<Stage> {
  const [provider] = await Promise.all([startProvider(pace), bundle()])
  await folder.configure(provider.settings)
  await endLeftover(folder)
  // The rest is loaded while the server starts.
  const [server, { openStage }] = await Promise.all([startServer(folder), import("./stage.ts"), loadScenes()])
  return openStage(screen, folder, pace, provider, server)
}

function onStop(cleanUp: () => Promise<void>): void {
  const stop = () => void cleanUp().finally(() => process.exit(interruptedCode))
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop)
}

async function loadScenes() {
  const [{ showWork }, { showSteer }, { showKills }, { showRecall }, { showBooks }] = await Promise.all([
    import("./scenes/work.ts"),
    import("./scenes/steer.ts"),
    import("./scenes/kills.ts"),
    import("./scenes/recall.ts"),
    import("./scenes/books.ts"),
  ])
  const scenes = [
    { prompt: prompts.work, show: showWork },
    { prompt: prompts.plan, show: showSteer },
    { prompt: prompts.confirm, show: showKills },
  ]
  return { scenes, showRecall, showBooks }
}

function refuse(text: string): number {
  process.stderr.write(text)
  return 2
}
