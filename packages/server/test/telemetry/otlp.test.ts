/** Traces and metrics by the protocol of OpenTelemetry, as a receiver on loopback gets them. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { afterEach, expect, test } from "vitest"
import { serve } from "../../src/index.ts"
import { telemetryVariables } from "../../src/telemetry/variables.ts"
import { openTestRuntime } from "../runtime.ts"
import { token } from "../surface.ts"

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

interface Received {
  readonly path: string
  readonly type: string
  readonly body: Buffer
  readonly headers: IncomingMessage["headers"]
}

async function receive() {
  const received: Received[] = []
  const server = createServer(async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { url = "", headers } = incoming
    received.push({ path: url, type: headers["content-type"] ?? "", body: await buffer(incoming), headers })
    outgoing.end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  ends.push(() => new Promise((resolve) => void server.close(() => resolve())))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

const marker = "xyzzy-marker"

/** A server that is asked a few things, then closed: by then everything has been sent. */
async function workWith(environment: Readonly<Record<string, string>>) {
  const runtime = await openTestRuntime()
  const server = await serve(runtime.runtime, {
    token,
    defaultDirectory: runtime.directory,
    version: "1.2.3",
    environment,
  })
  const call = async (path: string, payload?: unknown, more: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(server.url + path, {
      method: payload === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...more },
      ...(payload !== undefined && { body: JSON.stringify(payload) }),
    })
    return (await response.json()) as any
  }
  const { id } = await call("/api/session", { title: `${marker} title` })
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
  await call(`/api/session/${id}/prompt`, { text: `${marker} prompt` }, { traceparent })
  await call(`/api/session/${id}/wait`)
  await call(`/api/${marker}/nothing`)
  await call(`/api/session/${id}?${marker}=1`)
  await server.close()
  await runtime.close()
  return { session: id as string }
}

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[]
  readonly status: { readonly code: number }
}

const spansIn = (received: readonly Received[]): readonly Span[] =>
  received
    .filter(({ path }) => path === "/v1/traces")
    .flatMap(({ body }) => JSON.parse(body.toString()).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)

const attributesOf = (span: Span | undefined): Record<string, unknown> =>
  Object.fromEntries(span?.attributes.map(({ key, value }) => [key, Object.values(value)[0]]) ?? [])

test("a request and the turn that it wakes are spans of one trace, with model, status and tokens", async () => {
  const { url, received } = await receive()
  const { session } = await workWith({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_HEADERS: "x-team=agents",
  })
  expect(received[0]).toMatchObject({ type: "application/json", headers: { "x-team": "agents" } })
  const spans = spansIn(received)
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    "GET /api/session/:sessionID",
    "GET /api/session/:sessionID/wait",
    "GET none",
    "POST /api/session",
    "POST /api/session/:sessionID/prompt",
    "turn",
  ])
  const prompt = spans.find(({ name }) => name.endsWith("/prompt"))
  const turn = spans.find(({ name }) => name === "turn")
  expect(prompt).toMatchObject({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    parentSpanId: "b7ad6b7169203331",
    kind: 2,
    status: { code: 1 },
  })
  expect(attributesOf(prompt)).toEqual({
    "http.request.method": "POST",
    "http.route": "/api/session/:sessionID/prompt",
    "http.response.status_code": 200,
  })
  expect([turn?.traceId, turn?.parentSpanId]).toEqual([prompt?.traceId, prompt?.spanId])
  expect(attributesOf(turn)).toMatchObject({
    "holdfast.session": session,
    "holdfast.turn": expect.stringMatching(/^trn_/),
    "gen_ai.request.model": "script",
    "holdfast.turn.status": "done",
    "gen_ai.usage.input_tokens": expect.any(Number),
    "gen_ai.usage.output_tokens": expect.any(Number),
    "holdfast.attempts": 1,
  })
  expect(BigInt(turn?.endTimeUnixNano ?? 0) >= BigInt(turn?.startTimeUnixNano ?? 0)).toBe(true)
})

test("metrics are sent as a scrape would show them", async () => {
  const { url, received } = await receive()
  await workWith({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" })
  const last = received.findLast(({ path }) => path === "/v1/metrics")
  const [{ resource, scopeMetrics }] = JSON.parse(last?.body.toString() ?? "").resourceMetrics
  expect(resource.attributes).toContainEqual({ key: "service.name", value: { stringValue: "holdfast" } })
  const metrics = new Map<string, any>(scopeMetrics[0].metrics.map((metric: any) => [metric.name, metric]))
  expect(metrics.get("holdfast_admissions_total").sum.dataPoints[0].asDouble).toBe(1)
  expect(metrics.get("holdfast_inputs_pending").gauge.dataPoints[0].asDouble).toBe(0)
})

test.each(["http/json", "http/protobuf"])(
  "[AU1] no word of a prompt, an answer, a path or a secret is sent as %s",
  async (protocol) => {
    const { url, received } = await receive()
    await workWith({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: protocol })
    const paths = new Set(received.map(({ path }) => path))
    expect([...paths].toSorted()).toEqual(["/v1/metrics", "/v1/traces"])
    const sent = Buffer.concat(received.map(({ body }) => body)).toString("latin1")
    expect(sent).toContain("turn")
    for (const hidden of [marker, "Understood", token, "sk-never-shown", "holdfast-server-"])
      expect(sent).not.toContain(hidden)
  },
)

test("without an address nothing is sent, and nothing is loaded", async () => {
  const { received } = await receive()
  await workWith({ OTEL_SERVICE_NAME: "mine" })
  expect(received).toEqual([])
})

test("a receiver that is away harms nobody", async () => {
  const { session } = await workWith({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" })
  expect(session).toMatch(/^ses_/)
})

const there = "http://127.0.0.1:4318"

test.each<[string, Readonly<Record<string, string>>, boolean]>([
  ["no variable", {}, false],
  ["an empty address", { OTEL_EXPORTER_OTLP_ENDPOINT: " " }, false],
  ["an address", { OTEL_EXPORTER_OTLP_ENDPOINT: there }, true],
  ["an address for traces alone", { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: there }, true],
  ["a switch that is off", { OTEL_EXPORTER_OTLP_ENDPOINT: there, OTEL_SDK_DISABLED: "true" }, false],
])("%s says whether something is sent", (_, environment, wanted) =>
  expect(telemetryVariables(environment) !== null).toBe(wanted),
)

test.each<[Readonly<Record<string, string>>, string]>([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
    "The variable OTEL_EXPORTER_OTLP_ENDPOINT is no address",
  ],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: there, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    "use http/protobuf or http/json, or unset it.",
  ],
])("%o is refused with what to do", (environment, message) =>
  expect(() => telemetryVariables(environment)).toThrow(message),
)
