/** Server: one port for both versions of HTTP and for browsers; nothing that is sent ends it. */
import { connect as connectHttp2, constants } from "node:http2"
import type { IncomingHttpHeaders } from "node:http2"
import { connect } from "node:net"
import { once } from "node:events"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createProviderSim, listen, scripted, textReply } from "../src/index.ts"
import type { ListeningSim, Reply } from "../src/index.ts"
import { body, headers } from "./requests.ts"

let sim: ListeningSim
let reply: Reply = textReply("Hi.")

beforeAll(async () => {
  sim = await listen(createProviderSim({ models: { plain: scripted(() => reply) } }))
})
afterAll(() => sim.close())

const ask = (changes: object = {}) =>
  fetch(`${sim.url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body(changes)) })

/** One exchange over the second version, without encryption, as the client of AWS speaks it. */
async function converse(operation: string) {
  const session = connectHttp2(sim.url)
  const stream = session.request({
    ":method": "POST",
    ":path": `/model/plain/${operation}`,
    "content-type": "application/json",
  })
  stream.end(JSON.stringify({ messages: [{ role: "user", content: [{ text: "Hello" }] }] }))
  const [head] = (await once(stream, "response")) as [IncomingHttpHeaders & { ":status": number }]
  const chunks: Buffer[] = []
  stream.on("data", (chunk: Buffer) => chunks.push(chunk))
  // A stream that is cut off fails; how it ended is told by its code.
  stream.on("error", () => {})
  await new Promise((resolve) => stream.once("close", resolve))
  session.close()
  return { status: head[":status"], code: stream.rstCode, text: Buffer.concat(chunks).toString("latin1") }
}

test("speaks the second version of HTTP beside the first, whole and in frames", async () => {
  expect(await converse("converse")).toMatchObject({ status: 200, code: constants.NGHTTP2_NO_ERROR })
  expect((await converse("converse-stream")).text).toContain("messageStop")
  expect((await ask()).status).toBe(200)
})

test("cuts one stream of the second version off where a fault says so", async () => {
  reply = { ...textReply("This is cut off."), fault: { kind: "cut" } }
  expect(await converse("converse-stream")).toMatchObject({
    status: 200,
    code: constants.NGHTTP2_INTERNAL_ERROR,
  })
  reply = textReply("Hi.")
  expect((await converse("converse")).status).toBe(200)
})

test("lets pages of any origin ask", async () => {
  const preflight = await fetch(`${sim.url}/v1/messages`, { method: "OPTIONS" })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get("access-control-allow-headers")).toBe("*, authorization")
  expect(preflight.headers.get("access-control-allow-origin")).toBe("*")
  expect((await ask()).headers.get("access-control-allow-origin")).toBe("*")
  expect((await ask({ model: "nobody" })).headers.get("access-control-allow-origin")).toBe("*")
})

test("stays when a script asks for what cannot be sent", async () => {
  const type = "api_error"
  reply = { ...textReply("x"), fault: { kind: "refused", status: 99, type, message: "a" } }
  await expect(ask()).rejects.toThrow("fetch failed")
  reply = textReply("Hi.")
  expect((await ask()).status).toBe(200)
})

test("stays when somebody sends what is no HTTP, or leaves without a word", async () => {
  for (const bytes of ["", "PRI * HTTP/2.0 and then nonsense\r\n\r\n", "\x16\x03\x01\r\n\r\n"]) {
    const socket = connect(sim.port, "127.0.0.1")
    await once(socket, "connect")
    socket.on("error", () => {})
    socket.end(bytes)
    socket.resume()
    await once(socket, "close")
  }
  expect((await ask()).status).toBe(200)
})
