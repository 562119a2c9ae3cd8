/**
 * A program that fills the screen, as an editor does. It draws when it starts, and with each key:
 * `f` flickers through more than any buffer keeps, `q` leaves, any other key moves the mark.
 */
const colour = (at: number) => `\x1b[38;5;${(at * 7) % 256};48;5;${(at * 3) % 256}m`
let column = 5

function draw(title: string): string {
  const lines = Array.from(
    { length: 20 },
    (_, at) =>
      `\x1b[${at + 2};3H${colour(at)}${at % 3 === 0 ? "語" : "é"} line ${at} ${"─".repeat(at)}\x1b[0m`,
  )
  const status = `\x1b[24;1H\x1b[7m ${title.padEnd(60)} \x1b[0m`
  return `\x1b]0;${title}\x07${lines.join("")}${status}\x1b[12;${column}H\x1b[1;32m◆\x1b[0m`
}

process.stdin.setRawMode(true)
process.stdout.write(
  `on the first screen\r\n\x1b[?1049h\x1b[?25l\x1b[?1006h\x1b[2J\x1b[2;22r${draw("begun")}`,
)
process.stdin.on("data", (keys: Buffer) => {
  for (const key of keys.toString()) {
    if (key === "q") {
      process.stdout.write("\x1b[r\x1b[?1006l\x1b[?25h\x1b[?1049lleft\r\n")
      process.exit(0)
    }
    const frames = key === "f" ? 1_500 : 1
    for (let frame = 0; frame < frames; frame++) {
      column = (column + 1) % 70
      process.stdout.write(`\x1b[2J${draw(`${key} ${frame + 1} of ${frames}`)}`)
    }
  }
})
