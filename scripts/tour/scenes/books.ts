/** The end: do the books balance? */
import { judge } from "../accounts.ts"
import { bookLines } from "../book-lines.ts"
import { collectEvidence } from "../evidence.ts"
import type { Stage } from "../stage.ts"

/** Whether everything balances. */
export async function showBooks(stage: Stage): Promise<boolean> {
  const { screen } = stage
  screen.title("The books")
  const accounts = judge(await collectEvidence(stage))
  for (const line of bookLines(accounts, screen)) screen.row(line)
  screen.line()
  const wrong = accounts.filter(({ balances }) => balances === false)
  if (wrong.length === 0) screen.line("Everything balances.", "green")
  else screen.line(`Does not balance: ${wrong.map(({ what }) => what.trim()).join(", ")}.`, "red")
  return wrong.length === 0
}
