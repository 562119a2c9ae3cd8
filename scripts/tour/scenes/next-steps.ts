/** What to try after the tour. */
import type { TourFolder } from "../folder.ts"
import type { Screen } from "../screen.ts"

export function showNextSteps(screen: Screen, { seed }: TourFolder): void {
  screen.title("Try next")
  const steps = [
    ['npm run holdfast -- run "Describe this project."', "a Session of your own"],
    ["npm run holdfast -- sessions", "then: window ses_…"],
    [`npm start -- --slow --seed ${seed}`, "the same again, slowly"],
    ["npm run holdfast -- --help", "everything else"],
  ] as const
  for (const [command, meaning] of steps)
    screen.row(`${command.padEnd(stepColumns)}  ${screen.paint("dim", meaning)}`)
}

const stepColumns = 49
