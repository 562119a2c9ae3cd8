/** The books on the screen: one line an account, figures to the right, a mark and a remark. */
import { fit } from "../../packages/cli/src/text-width.ts"
import type { Account } from "./accounts.ts"
import type { Screen } from "./screen.ts"

const whatColumns = 24
const figureColumns = 9

/** Lines that fit the screen; whether all accounts balance is for the caller to say. */
export function bookLines(
  accounts: readonly Account[],
  { columns, paint }: Pick<Screen, "columns" | "paint">,
): readonly string[] {
  const lead = (what: string, holdfast: string, outside: string) =>
    what.padEnd(whatColumns) + holdfast.padStart(figureColumns) + outside.padStart(figureColumns)
  const room = columns - whatColumns - 2 * figureColumns - 4
  return [
    paint("dim", lead("", "HOLDFAST", "OUTSIDE")),
    ...accounts.map((account) => {
      const { what, holdfast, outside = "", balances } = account
      const remark = remarkOf(account, room)
      const mark = balances === null ? " " : balances ? paint("green", "✓") : paint("red", "✗")
      const style = balances === false ? "red" : "dim"
      return `${lead(what, holdfast, outside)}  ${mark} ${paint(style, remark)}`.trimEnd()
    }),
  ]
}

function remarkOf({ remark, balances }: Account, room: number): string {
  const text = balances === false ? `does not balance: ${remark}` : remark
  return fit(text, room)
}
