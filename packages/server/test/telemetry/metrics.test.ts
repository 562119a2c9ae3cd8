/** `/metrics`: what a scrape shows, and what it never shows. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { Deferred, Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import { counters } from "@holdfast/core/watch/counts"
import { StoreFailure } from "@holdfast/schema/error"
import { gauges } from "../../src/telemetry/gauges.ts"
import { openSurface, type Surface, type SurfaceOptions } from "../surface.ts"

const opened: Surface[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((surface) => surface.close()))
})

async function open(options: SurfaceOptions = {}): Promise<Surface> {
  const surface = await openSurface(options)
  opened.push(surface)
  return surface
}

interface Scrape {
  readonly text: string
  readonly types: ReadonlyMap<string, string>
  /** By name and labels, as they are written. */
  readonly values: ReadonlyMap<string, number>
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>
}

/** Read as Prometheus reads it; a line that it would not understand fails. */
async function scrape(surface: Surface): Promise<Scrape> {
  const { status, text, headers } = await surface.get("/metrics")
  expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"])
  const types = new Map<string, string>()
  const values = new Map<string, number>()
  const labels = new Map<string, Set<string>>()
  for (const line of text.trimEnd().split("\n")) {
    if (line.startsWith("# HELP ")) continue
    const type = /^# TYPE (\w+) (counter|gauge)$/.exec(line)
    if (type !== null) {
      types.set(type[1] ?? "", type[2] ?? "")
      continue
    }
    const [, name = "", , all = "", value = ""] =
      /^(\w+)(\{((?:\w+="[^"\\]*",?)*)\})? (\S+)$/.exec(line) ?? []
    expect([line, types.has(name), Number.isNaN(Number(value)) && value !== "NaN"]).toEqual([
      line,
      true,
      false,
    ])
    values.set(all === "" ? name : `${name}{${all}}`, Number(value))
    for (const [, label = "", given = ""] of all.matchAll(/(\w+)="([^"]*)"/g)) {
      labels.set(label, (labels.get(label) ?? new Set()).add(given))
    }
  }
  return { text, types, values, labels }
}

test("[AU1] a scrape needs the token", async () => {
  const surface = await open()
  const answer = await surface.call("/metrics", { headers: { authorization: null } })
  expect([answer.status, answer.json._tag]).toEqual([401, "Unauthorized"])
})

test("a scrape shows what was done and how things stand", async () => {
  const surface = await open()
  const session: string = (await surface.post("/api/session", {})).json.id
  const before = await scrape(surface)
  expect(before.values.get("holdfast_admissions_total")).toBe(0)
  expect(before.values.get('holdfast_turns_total{status="done"}')).toBe(0)
  await surface.post(`/api/session/${session}/prompt`, { text: "Hello" })
  const { usage } = (await surface.get(`/api/session/${session}/wait`)).json.result
  await surface.post(`/api/session/${session}/prompt`, { text: "Later", resume: false })
  const { values, types } = await scrape(surface)
  const shown = (name: string) => values.get(`holdfast_${name}`)
  expect(shown("admissions_total")).toBe(2)
  expect(shown('turns_total{status="done"}')).toBe(1)
  expect(shown('tokens_total{kind="input"}')).toBe(usage.input)
  expect(shown('tokens_total{kind="output"}')).toBe(usage.output)
  expect(shown("inputs_pending")).toBe(1)
  expect(shown("sessions_active")).toBe(0)
  expect(shown("degraded_parts")).toBe(0)
  expect(shown('info{version="1.2.3"}')).toBe(1)
  expect(shown('commits_total{kind="admit"}')).toBe(2)
  expect(values.get("process_resident_memory_bytes")).toBeGreaterThan(10_000_000)
  expect([types.get("holdfast_turns_total"), types.get("holdfast_inputs_pending")]).toEqual([
    "counter",
    "gauge",
  ])
})

test("a Session at work and readers of live events are shown while they last", async () => {
  const answer = Deferred.makeUnsafe<void>()
  const surface = await open({ beforeAnswer: Deferred.await(answer) })
  const session: string = (await surface.post("/api/session", {})).json.id
  await surface.post(`/api/session/${session}/prompt`, { text: "Hello" })
  const live = await surface.handler(
    new Request("http://localhost/api/event", { headers: { authorization: "Bearer token-for-tests" } }),
  )
  const reader = live.body?.getReader()
  await reader?.read() // connected
  const busy = await scrape(surface)
  expect(busy.values.get("holdfast_sessions_active")).toBe(1)
  expect(busy.values.get("holdfast_live_readers")).toBe(1)
  surface.runtime.live.publish({
    session: session as never,
    type: "output-delta",
    call: "call_1" as never,
    text: "x".repeat(800),
  })
  const queued = await scrape(surface)
  expect(queued.values.get("holdfast_live_queue_bytes")).toBe(1_000)
  await reader?.cancel()
  Effect.runSync(Deferred.succeed(answer, undefined))
  await surface.get(`/api/session/${session}/wait`)
  const quiet = await scrape(surface)
  expect(quiet.values.get("holdfast_live_readers")).toBe(0)
  expect(quiet.values.get("holdfast_live_queue_bytes")).toBe(0)
})

test("a store that cannot be read leaves one number out, and shows that a part is degraded", async () => {
  const message = "The disk is away."
  const away = new StoreFailure({ code: "unavailable", message, outcomeUnknown: false, detail: "" })
  const surface = await open({
    replace: (store) => ({
      ...store,
      pendingInputs: () => Effect.fail(away),
      sessions: () => Effect.fail(away),
    }),
  })
  const { values } = await scrape(surface)
  expect(values.get("holdfast_inputs_pending")).toBeNaN()
  expect(values.get("holdfast_degraded_parts")).toBe(1)
})

test("a timer that comes late is shown as delay of the event loop", async () => {
  const surface = await open()
  await scrape(surface)
  // What is measured lies between two timers, so that the first does not count.
  for (let rounds = 0; rounds < 4; rounds++) {
    for (const until = performance.now() + 150; performance.now() < until;) void 0
    await setImmediate()
  }
  const { values } = await scrape(surface)
  const longest = values.get('holdfast_event_loop_delay_seconds{quantile="1"}') ?? 0
  expect(longest).toBeGreaterThan(0.1)
  expect(longest).toBeLessThan(5)
})

test("no id, no directory and no text is a label, and labels are few", async () => {
  const surface = await open()
  const marker = "xyzzy-marker"
  for (let at = 0; at < 3; at++) {
    const title = `${marker} title`
    const session: string = (await surface.post("/api/session", { title })).json.id
    await surface.post(`/api/session/${session}/prompt`, { text: `${marker} ${at}`, id: `${marker}-${at}` })
    await surface.get(`/api/session/${session}/wait`)
  }
  const { text, labels } = await scrape(surface)
  for (const hidden of [marker, surface.directory, "ses_", "trn_", "msg_", "Understood"])
    expect(text).not.toContain(hidden)
  const known = ["kind", "quantile", "reason", "state", "status", "version"]
  expect([...labels.keys()].filter((label) => !known.includes(label))).toEqual([])
  for (const values of labels.values()) expect(values.size).toBeLessThanOrEqual(13)
})

test("docs/operations.md has every metric in its table, and no other", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/operations.md"), "utf8")
  const rows = [...page.matchAll(/^\| `(\w+)` \| (counter|gauge) \|/gm)].map(
    ([, name, type]) => `${name} ${type}`,
  )
  const declared = [
    ...Object.keys(counters).map((name) => `${name} counter`),
    ...Object.keys(gauges).map((name) => `${name} gauge`),
  ]
  expect(rows.toSorted()).toEqual(declared.toSorted())
})
