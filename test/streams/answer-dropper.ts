/**
 * A proxy that can lose answers: it lets a request through, waits for the first byte of the answer,
 * which the server writes after its commit, and cuts the connection in its place.
 */
import { connect, createServer, type Socket } from "node:net"
import { once } from "node:events"
import type { AddressInfo } from "node:net"

export interface AnswerDropper extends AsyncDisposable {
  readonly url: string
  /** How many of the next answers are lost. */
  lose: number
  readonly lost: () => number
}

export async function startAnswerDropper(target: string): Promise<AnswerDropper> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let lost = 0
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    const end = () => {
      for (const socket of [near, far]) {
        sockets.delete(socket)
        socket.destroy()
      }
    }
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on("error", end)
      socket.on("close", end)
    }
    near.pipe(far)
    far.on("data", (bytes) => {
      if (dropper.lose === 0) return void near.write(bytes)
      dropper.lose--
      lost++
      end()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const dropper: AnswerDropper = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lose: 0,
    lost: () => lost,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
  return dropper
}
