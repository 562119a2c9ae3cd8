/** A terminal over a WebSocket, at both of its ends: who is gone, and how much may wait. */
import { EventEmitter, getEventListeners } from "node:events"
import type { AddressInfo } from "node:net"
import { expect, test } from "vitest"
import { type WebSocket, WebSocketServer } from "ws"
import type { Attachment } from "@holdfast/core/pty/attachment"
import type { Terminals } from "@holdfast/core/pty/terminals"
import { attachTerminal, type HoldfastClient } from "../../../client/src/index.ts"
import { speakTo } from "../../src/terminals/socket.ts"

/** A terminal on which nothing happens for so many heartbeats. */
function quietFor(beats: number): Attachment {
  let left = beats
  return { cursor: null, next: async () => (left-- > 0 ? "quiet" : null), leave: () => {} }
}

test.each([
  ["answers its pings is kept", true, { pings: 4, cuts: 0 }],
  ["does not answer a ping is cut off before the next", false, { pings: 1, cuts: 1 }],
])("[PT1] a caller that %s", async (_, answers, expected) => {
  const seen = { pings: 0, cuts: 0 }
  const socket = Object.assign(new EventEmitter(), {
    ping: () => {
      seen.pings += 1
      if (answers) socket.emit("pong")
    },
    terminate: () => void (seen.cuts += 1),
  })
  const caller = socket as unknown as WebSocket
  await speakTo(caller, {} as Terminals, "pty_1", quietFor(4), new AbortController().signal)
  expect(seen).toEqual(expected)
})

const client = {
  ptys: { ticket: async () => ({ ticket: "t", expiresMs: 1 }) },
} as unknown as HoldfastClient

async function openServer(onConnection: (socket: WebSocket) => void) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 })
  await new Promise((resolve) => server.once("listening", resolve))
  server.on("connection", onConnection)
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { baseUrl, close: () => new Promise((resolve) => server.close(resolve)) }
}

test("[PT1] a signal ends what is attached, and forgets what has ended", async () => {
  const exit = JSON.stringify({ type: "exit", cursor: 0, code: 0, signal: null })
  let connections = 0
  const server = await openServer((socket) => {
    if (++connections === 1) socket.send(exit)
  })
  const stop = new AbortController()
  const listeners = () => getEventListeners(stop.signal, "abort").length
  const forgotten = new Promise<void>((resolve) => {
    const remove = stop.signal.removeEventListener.bind(stop.signal)
    stop.signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      remove(...given)
      resolve()
    }
  })
  const attach = () =>
    attachTerminal(client, { baseUrl: server.baseUrl, ptyID: "pty_1" }, { signal: stop.signal })
  const first = await attach()
  expect(listeners()).toBe(1)
  for await (const { type } of first) expect(type).toBe("exit")
  await forgotten
  expect(listeners()).toBe(0)
  const next = (await attach())[Symbol.asyncIterator]().next()
  stop.abort()
  await expect(next).rejects.toMatchObject({ _tag: "ClientError" })
  await expect(attach()).rejects.toMatchObject({ _tag: "ClientError", message: "The call was aborted." })
  await server.close()
})

test("[PT1] a reader that keeps up is not cut off, however much there is in all", async () => {
  const pieces = 12
  const server = await openServer((socket) => {
    let sent = 0
    // One piece more whenever the reader has read one.
    const send = () =>
      sent++ < pieces
        ? socket.send(Buffer.alloc(1_048_576))
        : socket.send(JSON.stringify({ type: "exit", cursor: pieces * 1_048_576, code: 0, signal: null }))
    socket.on("message", send)
    send()
  })
  const terminal = await attachTerminal(client, { baseUrl: server.baseUrl, ptyID: "pty_1" })
  const types: string[] = []
  for await (const item of terminal) {
    types.push(item.type)
    terminal.write("on")
  }
  expect(types).toEqual([...Array<string>(pieces).fill("output"), "exit"])
  expect(terminal.cursor).toBe(pieces * 1_048_576)
  await server.close()
})
