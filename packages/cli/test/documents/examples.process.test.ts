/** The programs that a newcomer runs first do run, and are the ones that the README shows. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { makePlace } from "../place.ts"

const root = join(import.meta.dirname, "../../../..")
const folder = join(root, "examples")
const first = "01-first-session.ts"
const linesMax = 60

/** What each example prints, beside what it checks itself. */
const printed: Readonly<Record<string, RegExp>> = {
  [first]: /^done: .*Greeter/,
  "02-steer-and-queue.ts": /steered · continue · done · queued/,
  "03-kill-and-carry-on.ts": /^done: .*Outcome unknown/,
  "04-durable-events.ts": /9 call\.started\n… the reader was away …\n10 call\.settled/,
  "05-changed-instructions.ts": /one Baseline; rebuilt: same, same/,
  "06-a-failing-provider.ts": /^done, attempts: 2\. \nfailed, attempts: 1\. /,
  "07-tools-of-your-program.ts": /^user · assistant · system · assistant: 3 apples are left\.$/m,
  "08-fork-a-session.ts": /Answer 1\. With roses\.\n.*Answer 1\. With herbs\.$/m,
  "09-follow-across-a-restart.ts": /^1 2 .* 14 restart 15 16 17 18 19$/m,
  "10-effect.ts": /^14 events, the last is turn\.settled\. There is no Session ses_none\./,
  "11-a-page-in-a-browser.ts": /^done: one two \|three fo\|ur five\|$/m,
}

/** What an example may import; a browser, a bundler and what the page loads are the reader's own. */
const published = /^(node:.+|effect|@holdfast\/(client|sdk|sdk\/effect|provider-sim))$/
const ofReader = new Set(["@sparticuz/chromium", "playwright-core", "rolldown", "/client.js"])
const noBrowser = /^There is no Chromium here: .*/

test.each(["README.md", "packages/sdk/README.md"])("%s shows the first example as it is", (path) => {
  const readme = readFileSync(join(root, path), "utf8")
  const shown = /```ts\n([\s\S]*?)```/.exec(readme)?.[1]
  expect(shown).toBe(readFileSync(join(folder, first), "utf8"))
})

test("each example is here, fits a screen and needs only what is published", () => {
  expect(readdirSync(folder).sort()).toEqual(Object.keys(printed).sort())
  for (const name of Object.keys(printed)) {
    const text = readFileSync(join(folder, name), "utf8")
    const imported = [...text.matchAll(/ from "([^"]+)"/g)].map(([, source = ""]) => source)
    expect(text.trimEnd().split("\n").length, name).toBeLessThanOrEqual(linesMax)
    for (const source of imported.filter((each) => !ofReader.has(each)))
      expect(source, name).toMatch(published)
  }
})

describe("runs and checks itself:", () => {
  test.for(Object.entries(printed))("%s", async ([name, expected], { skip }) => {
    await using place = await makePlace()
    const { code, out, err } = await place.run([], { program: join(folder, name) })
    expect({ code, err }).toEqual({ code: 0, err: "" })
    const reason = noBrowser.exec(out)?.[0]
    if (reason !== undefined) {
      console.warn(`SKIPPED: nobody looks at the page of ${name}. ${reason}`)
      skip(reason)
    }
    expect(out).toMatch(expected)
  })
})
