/** Names of compartments: which are kept, which stand in the window, and how they are written. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { extract } from "@holdfast/recall/historian/extract"
import { chooseNames, gradeNames, nameLines, gradedNames, tailNames } from "@holdfast/recall/historian/names"
import { namesOfText, tokensOf } from "@holdfast/recall/historian/words"
import { compartmentText, layOut } from "@holdfast/recall/history/layout"
import type { Compartment } from "@holdfast/schema/fact/recall"
import { assistant, call, text, user } from "../history.ts"

describe("names in a text", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["see src/app/main.ts:12 and walkTree", ["src/app/main.ts", "walkTree"]],
    ["src/app/main.ts:import x", ["src/app/main.ts"]],
    ["list().filter(isOpen)", ["isOpen"]],
    [`from "../shell.js"`, ["../shell.js"]],
    ["port 4711, not 12, and API or README", ["4711"]],
    ["an ordinary sentence, without any.", []],
  ]
  test.each(cases)("[HI1] %s", (words, names) => {
    expect([...namesOfText(words)]).toEqual(names)
  })
})

test("[HI1] what was said is worth more than what a tool put out, and the rare more than the common", () => {
  const named = (weight: number, messages: number) => ({ weight, messages, lastSeq: 1 })
  const ranked = gradeNames(
    [
      ["putOutOnce", named(1, 1)],
      ["everywhere", named(80, 90)],
      ["saidRarely", named(80, 2)],
      ["9999999999", named(80, 2)],
    ],
    100,
  )
  expect(ranked.map(({ name }) => name)).toEqual(["saidRarely", "9999999999", "everywhere", "putOutOnce"])
  expect(ranked.map(({ grade }) => grade)).toEqual(ranked.map(({ grade }) => grade).toSorted((a, b) => b - a))
})

test("[HI1] of what only tools put out, the name that stands there often is worth more", () => {
  const output = `onceHere ${"oftenHere ".repeat(20)}`
  const message = assistant(2, call(2, output))
  const [part] = extract([{ message, tokens: 1_000 }], { fromSeq: 1, toSeq: 2 })
  const [often, once] = gradedNames(part?.tiers[0] ?? "")
  expect([often?.name, once?.name]).toEqual(["oftenHere", "onceHere"])
  expect(often?.grade).toBeGreaterThan(once?.grade ?? 9)
})

test("[HI1] a tier keeps them by grade, as many as fit, and gives them back", () => {
  const ranked = [9, 9, 7.5, 0.5].map((grade, n) => ({ name: `name_${n}`, grade }))
  expect(nameLines(ranked, 100)).toEqual(["N9 name_0 name_1", "N7.5 name_2", "N0.5 name_3"])
  expect(gradedNames(nameLines(ranked, 100).join("\n"))).toEqual(ranked)
  expect(gradedNames(nameLines(ranked, 6).join("\n"))).toEqual(ranked.slice(0, 2))
  expect(gradedNames("N old_name\nD #1 N9 no_name")).toEqual([{ name: "old_name", grade: 5 }])
})

describe("in the window", () => {
  const part = (names: readonly string[], grade = 5, prose = "") => ({
    prose,
    names: names.map((name) => ({ name, grade })),
  })

  test("[DK1] the best of all compartments come first, then those of the newest", () => {
    expect(chooseNames([part(["oldBest"], 9), part(["oldName"]), part(["newName"])], 8)).toEqual([
      "N oldBest",
      "",
      "N newName",
    ])
  })

  test("[DK1] what the tail shows is not said again, and what is akin to it comes first", () => {
    const tail = tailNames([
      user(1, "open parseInvoice, then close it"),
      assistant(2, call(2, "shipOrder_1")),
    ])
    const parts = [part(["parseInvoice", "shipOrder_1", "drawCircle", "sendInvoice"])]
    expect(chooseNames(parts, 100, tail)).toEqual(["N sendInvoice drawCircle"])
  })

  test("[DK1] nothing is said twice, and what begins alike is written once", () => {
    const parts = [
      part(["run_all"], 5, 'U #1 "call run_all"'),
      part(["src/app/b.ts", "src/app/a.ts", "this.tree.walk", "this.tree.size", "alone.name", "a.ts"]),
    ]
    expect(chooseNames(parts, 100)).toEqual(["", "N src/app/{b.ts a.ts} this.tree.{walk size} alone.name"])
  })
})

const compartment = (n: number, tiers: Compartment["tiers"]): Compartment => ({
  id: `c${n}-${n}`,
  fromSeq: n as Compartment["fromSeq"],
  toSeq: n as Compartment["toSeq"],
  title: "work",
  tiers,
  importance: 50,
  episode: "change",
})

test("[DK1] prose goes before names", () => {
  const prose = (n: number) => `A #${n} ${"words of little use ".repeat(20)}`
  const many = Array.from({ length: 12 }, (_, n) =>
    compartment(n + 1, [`${prose(n)}\nN7 parser_${n} walker_${n}`, prose(n), `A #${n} words`, ""]),
  )
  const { shown } = layOut(many, 600)
  const all = shown.map(({ compartment: one, tier }) => compartmentText(one, tier)).join("\n")
  expect(shown).toHaveLength(12)
  expect(shown.filter(({ tier }) => tier === 0).length).toBeLessThan(5)
  for (const [n] of many.entries()) expect(all).toContain(`parser_${n} walker_${n}`)
})

test("[DK1] a compartment by itself shows the best of its own names, without grades", () => {
  const names = Array.from({ length: 900 }, (_, n) => `name_${n}`)
  const full = compartmentText(compartment(1, [`N9 best_name\nN1 ${names.join(" ")}`, "", "", ""]), 0)
  expect(full).toMatch(/^## c1-1\nN best_name name_0 /)
  expect(tokensOf(full)).toBeLessThan(1_300)
  // A stretch of which a Delta tells has no other place for them until the next Fold.
  expect(tokensOf(full)).toBeGreaterThan(1_100)
})

test("[DK1] whatever there is to lay out, it stays within the budget and invents no name", () => {
  const word = fc.stringMatching(/^[a-z]{3,9}[_/.][a-z]{1,9}$/)
  const one = fc.record({
    names: fc.array(word, { maxLength: 60 }),
    lines: fc.nat(30),
    archive: fc.boolean(),
  })
  fc.assert(
    fc.property(
      fc.array(one, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 50, max: 3_000 }),
      (given, budget) => {
        const all = given.map(({ names, lines, archive }, n): Compartment => {
          const prose = Array.from({ length: lines }, (_, at) => `A #${at} something was said here`).join(
            "\n",
          )
          const ranked = names.map((name, at) => ({ name, grade: 1 + (at % 9) }))
          const first = [prose, ...nameLines(ranked, 400)].filter((some) => some !== "").join("\n")
          return {
            ...compartment(n + 1, [first, prose, prose.slice(0, 29), ""]),
            episode: archive ? "archive" : "talk",
          }
        })
        const { shown, hidden } = layOut(all, budget)
        expect(shown.length + hidden.size).toBe(all.length)
        const laid = shown.map(({ compartment: each, tier }) => compartmentText(each, tier)).join("\n")
        expect(tokensOf(laid)).toBeLessThanOrEqual(budget + shown.length)
        const known = new Set(given.flatMap(({ names }) => names))
        const lines = laid.split("\n").filter((line) => line.startsWith("N "))
        const said = lines.flatMap((line) =>
          line
            .slice(2)
            .replaceAll(/(\S+)\{([^}]*)\}/g, (_, begin: string, ends: string) =>
              ends
                .split(" ")
                .map((end) => begin + end)
                .join(" "),
            )
            .split(" "),
        )
        for (const name of said) expect(known).toContain(name)
      },
    ),
    { numRuns: 60 },
  )
})

test("[HI1] the fullest tier of a long part keeps far more names than a window shows of it", () => {
  const names = Array.from({ length: 200 }, (_, n) => `walkTree_${n}`)
  const answers = names.map((name, n) =>
    assistant(n + 2, text("Looking."), { ...call(n, name), name: "grep" }),
  )
  const weighed = [user(1, "Look."), ...answers].map((message) => ({ message, tokens: 50 }))
  const [kept] = extract(weighed, { fromSeq: 1, toSeq: 201 })
  expect(gradedNames(kept?.tiers[0] ?? "").length).toBe(200)
  expect(kept?.tiers.slice(1).join("\n")).not.toMatch(/^N/m)
})
