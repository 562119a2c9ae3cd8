/** What the settings say of caches, prices and the threshold of recall. */
import { expect, test } from "vitest"
import { readUserFile } from "../../src/config/decode.ts"

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
  expect(settings.cache).toBeNull()
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
  expect(settings.recall).toBeNull()
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
