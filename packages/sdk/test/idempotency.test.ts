/** A prompt whose answer is lost on the way: sent again and again, it is still one prompt. */
import { connect, createServer, type AddressInfo, type Server } from "node:net"
import { expect, test } from "vitest"
import { scripted, textReply } from "../../provider-sim/src/index.ts"
import { makeClient, settled } from "../src/index.ts"
import { makePlace, token } from "./place.ts"

interface Proxy extends AsyncDisposable {
  readonly url: string
  /** Where it leads; the server may change. */
  target: string
  /** Lets requests through and cuts the connection when the answer comes. */
  losesAnswers: boolean
  readonly lost: () => number
}

async function makeProxy(): Promise<Proxy> {
  let lost = 0
  const server: Server = createServer((near) => {
    const far = connect(Number(new URL(proxy.target).port), "127.0.0.1")
    near.on("data", (bytes) => far.write(bytes))
    far.on("data", (bytes) => {
      if (!proxy.losesAnswers) return near.write(bytes)
      lost++
      near.destroy()
      far.destroy()
    })
    const end = () => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) socket.on("close", end).on("error", end)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const proxy: Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: "",
    losesAnswers: true,
    lost: () => lost,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return proxy
}

test("[PR2 PR4] five lost answers, three clients and a restart make one message and one turn", async () => {
  await using place = await makePlace(scripted(() => textReply("Done.")))
  await using proxy = await makeProxy()
  const clients = [1, 2, 3].map(() => makeClient({ baseUrl: proxy.url, token }))
  const first = await place.serve()
  proxy.target = first.url
  const { id: sessionID } = await first.holdfast.sessions.create()
  const send = (at: number) =>
    clients[at % clients.length]?.sessions.prompt({ sessionID, text: "Do it once.", id: "once" })
  const lose = (at: number) =>
    expect(send(at)).rejects.toMatchObject({ _tag: "ClientError", reason: { kind: "transport" } })

  await lose(0)
  // The answer was lost, not the prompt.
  expect((await first.holdfast.sessions.get({ sessionID })).seq).toBeGreaterThanOrEqual(2)
  await lose(1)
  await settled(first.holdfast, { sessionID })
  await lose(2)
  await first.close()
  const second = await place.serve()
  proxy.target = second.url
  await Promise.all([lose(0), lose(1)])
  expect(proxy.lost()).toBe(5)

  proxy.losesAnswers = false
  const receipts = await Promise.all([0, 1, 2].map(send))
  expect(new Set(receipts.map((receipt) => JSON.stringify(receipt))).size).toBe(1)
  expect(receipts[0]).toMatchObject({ prompt: "once", admittedSeq: 2, state: "promoted" })
  const conflict = clients[0]?.sessions.prompt({ sessionID, text: "Do it twice.", id: "once" })
  await expect(conflict).rejects.toMatchObject({ _tag: "PromptConflict" })

  const { sessions } = second.holdfast
  expect(await settled({ sessions }, { sessionID })).toMatchObject({
    status: "done",
    turns: 1,
    text: "Done.",
  })
  const { items: messages } = await sessions.messages({ sessionID })
  expect(messages.map(({ kind }) => kind)).toEqual(["user", "assistant"])
  expect((await sessions.turns({ sessionID })).items).toHaveLength(1)
  await second.close()
})
