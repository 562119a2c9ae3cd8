/** What the settings say of caches, prices and the threshold of recall. */
import { expect, test } from "vitest"
import { readProjectFile, readUserFile } from "../../src/config/decode.ts"

const read = (text: string) => readUserFile("/config/holdfast.jsonc", text, {})

test("[CF1] lifetime, keep-warm and the price above which somebody is asked", () => {
  const { settings, fields, warnings } = read(
    `{ "cache": { "lifetime": "1h", "keepWarm": { "max": 3, "costMax": 0.5 } }, "cost": { "askAbove": 2 } }`,
  )
  expect([settings.cache, settings.cost]).toEqual([
    { lifetime: "1h", keepWarm: { max: 3, costMax: 0.5 } },
    { askAbove: 2 },
  ])
  expect([...fields.document.faults, ...warnings]).toEqual([])
})

test.each([
  [`{ "cache": { "lifetime": "2h" } }`, `must be "auto", "5m" or "1h"`],
  [`{ "cache": { "keepWarm": { "max": 3 } } }`, "must have both bounds"],
  [`{ "cache": { "keepWarm": { "max": 99, "costMax": 1 } } }`, "at most 24 requests in a row"],
])("[CF1] a bad cache setting falls back with a warning: nothing is sent to keep one", (text, message) => {
  const { settings, fields, warnings } = read(text)
  expect(settings.cache).toEqual({})
  expect(fields.document.faults).toEqual([])
  expect(warnings.map((one) => one.message).join()).toContain(message)
})

test("[CF1] a bad bound of price stops all work, since its default would spend", () => {
  const { settings, fields } = read(`{ "cost": { "askAbove": "much" } }`)
  expect(settings.cost).toBeNull()
  expect(fields.document.faults).toHaveLength(1)
})

test("[CF1 PS5] the threshold of recall is a share of the window", () => {
  const { settings, fields, warnings } = read(`{ "recall": { "threshold": 0.5 } }`)
  expect(settings.recall).toEqual({ threshold: 0.5 })
  expect([...fields.document.faults, ...warnings]).toEqual([])
})

test.each([0.81, 0.1, 65])("[CF1 PS5] a threshold of %s is refused with its bounds", (threshold) => {
  const { settings, warnings } = read(`{ "recall": { "threshold": ${threshold} } }`)
  expect(settings.recall).toEqual({})
  expect(warnings.map((one) => one.message).join()).toContain("between 0.2 and 0.8, as in 0.7")
})

test("[CF1 TG5] texts are compressed only where that is set, and by true or false alone", () => {
  expect(read(`{ "recall": { "textCompression": true, "threshold": 0.5 } }`).settings.recall).toEqual({
    textCompression: true,
    threshold: 0.5,
  })
  const { settings, warnings } = read(`{ "recall": { "textCompression": "deep" } }`)
  expect(settings.recall?.textCompression).not.toBe(true)
  expect(warnings).toHaveLength(1)
})

/** Each: a group with one part that is wrong, what is left of it, and what is said. */
const one = { provider: "p", model: "m" }
test.each<readonly [string, object, string]>([
  [
    `{ "recall": { "threshold": 5, "textCompression": true } }`,
    { recall: { textCompression: true } },
    "recall.threshold must be a share of the window, a number between 0.2 and 0.8, as in 0.7. Until then its default holds: 0.75.",
  ],
  [
    `{ "recall": { "treshold": 0.5, "docs": ["A.md"] } }`,
    { recall: { docs: ["A.md"] } },
    "recall.treshold is not a setting. Did you mean threshold? It is left out.",
  ],
  [
    `{ "cache": { "lifetime": "1h", "keepWarm": { "max": 3 } } }`,
    { cache: { lifetime: "1h" } },
    "Until then its default holds: nothing is sent to keep them.",
  ],
  [
    `{ "historian": { "model": "p/m", "editor": "yes" } }`,
    { historian: { model: one, fallback: [], prompt: null, editor: false } },
    "historian.editor must be true or false. Until then its default holds: false.",
  ],
  [
    `{ "sidekick": { "model": "p/m", "timeoutSeconds": 900, "fallback": ["x"] } }`,
    { sidekick: { model: one, fallback: [], prompt: null, timeoutSeconds: 30 } },
    "sidekick.timeoutSeconds must be at most 300. Until then its default holds: 30.",
  ],
  [
    `{ "dreamer": { "model": "m", "schedule": "never" } }`,
    { dreamer: { model: null, schedule: "never" } },
    "Until then its default holds: no model.",
  ],
])("[CF1] of %s only the part that is wrong falls back", (text, left, said) => {
  const { settings, fields, warnings } = read(text)
  expect(fields.document.faults).toEqual([])
  expect(settings).toMatchObject(left)
  expect(warnings.map(({ message }) => message).join()).toContain(said)
})

test.each([
  `{ "dreamer": { "model": "p/m", "tasks": ["verifi"] } }`,
  `{ "dreamer": { "model": "p/m", "shedule": "never" } }`,
  `{ "search": { "hints": false } }`,
  `{ "historian": { "model": "m", "editor": true } }`,
  `{ "historian": { "modell": "p/m" }, "sidekick": { "model": "p/m" } }`,
])("[CF1] a part that has no harmless default stops all work: %s", (text) =>
  expect(read(text).fields.document.faults).not.toEqual([]),
)

test("[CF1] of a project's file a part that is wrong leaves the user's own in force, and says so", () =>
  expect(readProjectFile("/p/holdfast.jsonc", `{ "recall": { "threshold": 5, "docs": [] } }`)).toMatchObject({
    settings: { recall: { docs: [] } },
    warnings: [
      {
        message: expect.stringContaining("Until then your own setting or its default holds: 0.75.") as string,
      },
    ],
  }))
