/** What of a message of the user is taken for a rule: whole sentences, and no small talk. */
import { expect, test } from "vitest"
import { inputItems } from "@holdfast/recall/historian/input"

const itemsOf = (said: string, where = { seq: 4, quiet: true }) =>
  inputItems(said, where).items.map(({ kind, text }) => `${kind} ${JSON.parse(text)}`)

test.each([
  "Use tabs, not spaces, in Makefiles.",
  "Timeouts are 30 s, except for uploads, which get 300 s.",
  "Names are in snake_case, not camelCase, in SQL only.",
  "Colours must be written as hex, for example #A1B2C3, never as names.",
  "Don't rename public methods, not even misspelt ones, in src/legacy.",
  "You may delete temp files; never delete anything in /srv/keep, though.",
  "Style: snake_case for columns, no default exports, vitest for tests, errors as values.",
  "I'd rather have tabs, spaces annoy me, as you know.",
])("[HI1] %j is one rule, with all that qualifies it", (said) => {
  expect(itemsOf(said)).toEqual([`rule ${said}`])
  expect(itemsOf(`- ${said}`)).toEqual([`rule ${said}`])
})

test.each([
  "I think the week 0 was rather quiet; the shop in street 3 sold a little more.",
  "No need to hurry with that one.",
  "No worries about the delay.",
  "Well, everything works, you are great.",
  "Do you mean each of them, B, C, right?",
])("[HI1] %j is no rule", (said) => {
  const where = { seq: 400, quiet: true }
  expect(itemsOf(said, where)).toEqual([`user ${said}`])
})

const working = { seq: 400, quiet: false }

test.each([
  "Use openCart() and not open()",
  "Log with logger.warn({ id }), and never with console.log().",
  "Write titles with title({ of, en }) and ends with end({ of }).",
  "Could you always run the formatter before you commit?",
  "I want you to never force a push.",
  "let's keep files under 300 lines",
  "I'd rather you asked before you change the schema.",
  "It's important that titles never hold a name.",
  "When you add a route, name it after its table.",
  "stop adding comments to tests",
  "Whatever happens, leave gen/ as it is.",
  "Keep it brief: at most two lines.",
  "fixtures go below test/data, not into src",
  "Always give amounts with a unit, e.g. 3.50 EUR, in the till.",
])("[HI1] %j is a rule in the middle of work, however it is put", (said) => {
  expect(itemsOf(said, working)).toEqual([`rule ${said}`])
})

test.each([
  "Can you keep going?",
  "Could you run all the tests again?",
  "Let's keep working on it.",
  "I want all of them to pass now.",
  "at Object.open (/app/src/open.ts:3:11)",
  "return openCart(name, always)",
])("[HI1] %j is none", (said) => {
  expect(itemsOf(said, working)).toEqual([`user ${said}`])
})

test("[HI1 PR7] what stood on both sides of a rule is not told as if it had stood together", () => {
  expect(
    itemsOf("Look at a.ts first. Never touch b.ts, nor c.ts. Tell me then what it does.", {
      seq: 400,
      quiet: false,
    }),
  ).toEqual(["rule Never touch b.ts, nor c.ts.", "user Look at a.ts first. … Tell me then what it does."])
})
