import { expect, test } from "vitest"
import { type Call, startable } from "../../src/session/calls.ts"

/** A call of the line: `r` reads, `w` writes; `.` has settled, `!` runs, else it waits. */
const callOf = (name: string): Pick<Call, "readOnly" | "state"> & { readonly name: string } => ({
  name,
  readOnly: name.startsWith("r"),
  state: name.endsWith(".") ? "settled" : name.endsWith("!") ? "running" : "waiting",
})

test.each([
  ["readers together", "r r r", [0, 1, 2]],
  ["a writer first and alone", "w w r", [0]],
  ["no writer beside a reader that runs", "r! w", []],
  ["a reader beside a reader that runs", "r! r", [1]],
  ["no reader beside a writer that runs", "w! r", []],
  ["no reader before a writer that waits for its turn", "r! w r", []],
  ["the readers behind a writer that settled, up to the next writer", "w. r r w r", [1, 2]],
  ["a writer when all before it have settled", "r. r. w. w r", [3]],
  ["nothing where all have settled", "r. w.", []],
])("[TU2] starts %s", (_, line, expected) => {
  const calls = line.split(" ").map(callOf)
  expect(startable(calls).map((call) => calls.indexOf(call))).toEqual(expected)
})
