/** Terminals of the embedded host: the same in this process, over a network, and over a WebSocket. */
import { expect, test } from "vitest"
import { attachTerminal, type HoldfastClient, makeClient, type PtyItem } from "../src/index.ts"
import { makePlace, surfaces, token } from "./place.ts"

/** The output up to and with a text. */
async function readUntil(items: AsyncIterable<PtyItem>, wanted: string): Promise<string> {
  let text = ""
  for await (const item of items) {
    if (item.type === "output") text += Buffer.from(item.data, "base64").toString()
    if (text.includes(wanted)) break
  }
  return text
}

async function converse({ ptys }: HoldfastClient): Promise<readonly unknown[]> {
  const { id: ptyID } = await ptys.create({
    argv: ["sh", "-c", "echo begun; read line; echo got $line; exit 3"],
  })
  await readUntil(ptys.attach({ ptyID, from: 0 }), "begun")
  await ptys.write({ ptyID, input: "something\r" })
  const seen: PtyItem[] = []
  for await (const item of ptys.attach({ ptyID, from: 7 })) seen.push(item)
  const text = seen.flatMap((item) => (item.type === "output" ? [Buffer.from(item.data, "base64")] : []))
  const refusals = [
    await ptys.write({ ptyID, input: "more" }).catch((failure) => failure._tag),
    await ptys.create({ argv: ["no-such-program"] }).catch((failure) => failure._tag),
    await ptys.get({ ptyID: "odd" }).catch((failure) => failure._tag),
  ]
  await ptys.close({ ptyID })
  const gone = await ptys.get({ ptyID }).catch((failure) => failure._tag)
  return [Buffer.concat(text).toString(), seen.at(-1), ...refusals, gone]
}

test.each(surfaces)("[PT1 EM1] %s: output, input, exit and failures are the same", async (_, open) => {
  await using place = await makePlace()
  await using holdfast = await open(place)
  expect(await converse(holdfast)).toEqual([
    "something\r\ngot something\r\n",
    { type: "exit", cursor: 33, code: 3, signal: null },
    "PtyEnded",
    "PtyRefused",
    "InvalidId",
    "PtyNotFound",
  ])
})

test.each(surfaces)(
  "[EV5] %s: live events tell of terminals, but not to a reader of one Session",
  async (_, open) => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { events, ptys, sessions } = holdfast
    const all = events.subscribe()[Symbol.asyncIterator]()
    await all.next()
    const { id: pty } = await ptys.create({ argv: ["sh", "-c", "read line"] })
    expect((await all.next()).value).toEqual({ type: "pty-opened", pty })
    const { id: sessionID } = await sessions.create()
    expect((await all.next()).value).toMatchObject({ type: "committed", session: sessionID })
    const one = events.subscribe({ sessionID })[Symbol.asyncIterator]()
    await one.next()
    await ptys.write({ ptyID: pty, input: "\r" })
    expect((await all.next()).value).toEqual({ type: "pty-exited", pty })
    await ptys.close({ ptyID: pty })
    expect((await all.next()).value).toEqual({ type: "pty-closed", pty })
    await sessions.update({ sessionID, title: "Roof" })
    expect((await one.next()).value).toEqual({
      session: sessionID,
      type: "committed",
      facts: ["session.updated"],
    })
    await Promise.all([all.return?.(), one.return?.()])
  },
)

test("[PT1 EM1] one terminal is seen alike from within, over the network and over a WebSocket", async () => {
  await using place = await makePlace()
  const { url: baseUrl, holdfast, close } = await place.serve()
  const client = makeClient({ baseUrl, token })
  const { id: ptyID } = await holdfast.ptys.create({ argv: ["sh", "-c", "echo begun; exec cat"] })
  await readUntil(holdfast.ptys.attach({ ptyID, from: 0 }), "begun")
  const attached = await attachTerminal(client, { baseUrl, ptyID, from: 0 })
  attached.write("typed\r")
  const [within, outside] = await Promise.all(
    [holdfast, client].map(({ ptys }) => readUntil(ptys.attach({ ptyID, from: 0 }), "typed\r\ntyped\r\n")),
  )
  expect(outside).toBe(within)
  let seen = ""
  for await (const item of attached) {
    if (item.type === "output") seen += Buffer.from(item.data).toString()
    if (seen === within) break
  }
  expect((await client.ptys.list()).items.map(({ id }) => id)).toEqual([ptyID])
  await close()
})

test("[PT1 EM2] closing the embedded host ends a stream of it, with the exit of its terminal or before", async () => {
  await using place = await makePlace()
  const holdfast = await place.open()
  const { id: ptyID } = await holdfast.ptys.create({ argv: ["sh", "-c", "exec sleep 600"] })
  const reading = readUntil(holdfast.ptys.attach({ ptyID, from: 0 }), "never")
  await holdfast.close()
  expect(await reading).toBe("")
})
