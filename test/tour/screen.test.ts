/** The screen of the tour: no line over its width, no word lost, however the text arrives in pieces. */
import { expect, test } from "vitest"
import { choicesFrom } from "../../scripts/tour/choices.ts"
import { makeScreen } from "../../scripts/tour/screen.ts"

function makeOutput(columns: number, painted = false) {
  let out = ""
  const screen = makeScreen({
    columns,
    write: (text) => (out += text),
    paint: (_, text) => (painted ? `\u001b[36m${text}\u001b[39m` : text),
  })
  return { screen, out: () => out }
}

// oxlint-disable-next-line no-control-regex
const bare = (text: string) => text.replaceAll(/\u001b\[\d+m/g, "")
const wordsOf = (text: string) =>
  bare(text)
    .split(/\s+/)
    .filter((word) => word !== "")

test.each([
  [80, 80],
  [200, 80],
  [60, 60],
])("on %i columns a line takes at most %i", (columns, most) => {
  const choices = choicesFrom(columns)
  const { screen, out } = makeOutput(columns, true)
  const said: string[] = []
  for (let piece = 0; piece < 2_000; piece++) {
    const word = "x".repeat(choices.between(1, 30))
    const text = `${word}${choices.between(0, 9) === 0 ? "\n" : " "}`
    said.push(word)
    // Cut anywhere, as a stream is.
    const cut = choices.between(0, text.length)
    screen.write(text.slice(0, cut))
    screen.write(text.slice(cut))
    if (choices.between(0, 20) === 0) {
      const line = "a prompt of several words ".repeat(choices.between(1, 8)).trim()
      said.push(...line.split(" "))
      screen.line(line, "cyan")
    }
  }
  screen.line()
  expect(
    bare(out())
      .split("\n")
      .filter((line) => line.length > most),
  ).toEqual([])
  expect(wordsOf(out())).toEqual(said)
})

test("what does not fit hangs below its mark, and blank lines never double", () => {
  const { screen, out } = makeOutput(40)
  screen.title("T")
  screen.line()
  screen.notice("a notice that is too long for a line of forty")
  screen.step("✗", "kill -9 1", "some words after the prompt")
  screen.line()
  screen.line()
  screen.row("end")
  expect(`\n${out()}`).toBe(`
── T ${"─".repeat(35)}

  ↳ a notice that is too long for a line
    of forty
  ✗ kill -9 1       some words after the
                    prompt

  end
`)
})
