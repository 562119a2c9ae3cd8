/** What was pasted without fences, and what somebody says of it before and behind it. */
import { expect, test } from "vitest"
import { inputItems } from "@holdfast/recall/historian/input"
import { passagesOf } from "@holdfast/recall/historian/paste"

const rulesIn = (said: string): readonly string[] =>
  inputItems(said, { seq: 400, quiet: false }).items.flatMap(({ kind, text }) =>
    kind === "rule" ? [String(JSON.parse(text))] : [],
  )

const many = (line: (n: number) => string, times = 6): string =>
  Array.from({ length: times }, (_, n) => line(n)).join("\n")

const pastes: readonly (readonly [string, string])[] = [
  ["a log", many((n) => `[09:1${n}:02] INFO worker must never be idle ${n}`)],
  ["lines of a service", many((n) => `WARN  till-${n} every basket must have a line`)],
  ["lines that differ by figures", many((n) => `till ${n} never answers without all of its ${n} lines`)],
  ["a listing", many((n) => `-rw-r--r-- 1 root root ${n} Nov 10 12:0${n} only-${"abcdef"[n]}.txt`)],
  ["a CSV file", many((n) => `${"abcdef"[n]},always in stock,only shop ${n},never`)],
  ["a table with tabs", many((n) => `${"abcdef"[n]}\talways in stock\tnever`)],
  [
    "tests",
    many((n) => `  ✓ never opens ${"abcdef"[n]} without all lines\n  × should always close ${"abcdef"[n]}`),
  ],
  ["Python", many((n) => `def open${n}(held):\n    """Always opens all of them."""\n    self.held = held`)],
  ["YAML", many((n) => `job${n}:\n  when: always\n  only:\n    - every day\n  run: never`)],
  [
    "a git log",
    many((n) => `commit 123456${n}\nAuthor: A\n\n    a call must never be sent twice, only ${"abcdef"[n]}`),
  ],
  ["a diff", `diff --git a/a b/a\n@@ -1,6 +1 @@\n${many((n) => `-never ${"abcdef"[n]}, always b`)}`],
  ["SQL", many((n) => `SELECT all_of_it, never\nFROM every_day${n}\nWHERE must IS NULL`)],
  [
    "a stack trace",
    `Traceback (most recent call last):\n  File "a.py", line 3, in run\n    go()\nValueError: must never be None`,
  ],
  [
    "a mail",
    "From: Ann <a@example.com>\nSubject: Tills\n\nAlways copy Ingrid.\n\nNever forward this.\n\nBest regards,\nAnn",
  ],
]

test.each(pastes)(
  "[HI1] nothing of %s that was pasted without a fence is a rule, what stands around it is",
  (_, pasted) => {
    const [before, behind] = ["Never touch gen/ in this.", "Use openTill() here, not open()"]
    expect(rulesIn(`What is this?\n${pasted}`)).toEqual([])
    expect(rulesIn(`${before}\n\n${pasted}\n\n${behind}`)).toEqual([before, behind])
    expect(rulesIn(`${pasted}\n\n${before}\n\n${pasted}`)).toEqual([before])
  },
)

test.each([
  ["without blanks behind its marks", "-use tabs\n-never push\n-no emojis"],
  ["of small letters", "use tabs\nuse single quotes\nuse vitest for all tests"],
  ["with labels", "Style: always tabs\nSQL: always upper case\nTests: only vitest"],
  ["of patterns of files", "- never touch src/**/*.ts\n- always lint lib/*\n- never change **/*.sql"],
])("[HI1] a list %s is somebody's own words", (_, list) => {
  const rules = rulesIn(list).join(" ")
  expect(list.split("\n").filter((line) => !rules.includes(line.replace(/^- ?/, "")))).toEqual([])
  expect(passagesOf(list)).toEqual([{ text: list, pasted: false }])
})

test("[HI1] a comment that is never closed, and a pattern of files in what was pasted, take nothing of what follows", () => {
  expect(rulesIn('{\n  "files": ["src/**/*.ts", "lib/*"],\n  "a": "b"\n}\n\nNever push.')).toEqual([
    "Never push.",
  ])
  expect(rulesIn("open();\nclose();\n/* never\nrun();\n\nNever push.\n\nUse tabs.")).toEqual([
    "Never push.",
    "Use tabs.",
  ])
  expect(rulesIn("/* never\nrun();\n\nNever push.\n\nrun();\nclose();\nend(); */")).toEqual(["Never push."])
})

test("[HI1] a comment of several lines is pasted, whatever its lines say", () => {
  const comment =
    "/* What follows\nmust never be touched\nnor be read by all\nunless each agrees\n*/\nconst a = 1"
  expect(passagesOf(comment)).toEqual([{ text: comment, pasted: true }])
})
