/**
 * What single answers mean: results that are waited for, cuts and probes, models and providers,
 * settings, Locations and the files in them, terminals that run.
 */
import { strict as assert } from "node:assert"
import { everyItem, isFailure, type Pty, settled } from "@holdfast/client"
import type { Case } from "../case.ts"
import { expectEqual, expectFailure, expectTrue, show } from "../expect.ts"
import type { Stage } from "../stage.ts"

const prompted = ["prompt"] as const
const text = "Say hello in one word."

const work: readonly Case[] = [
  {
    rule: "SS1",
    title: "waiting for a Session tells what became of its newest prompt",
    needs: prompted,
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const { prompt } = await client.sessions.prompt({ sessionID, text })
      await settled(client, { sessionID })
      const waited = await client.sessions.wait({ sessionID })
      assert(waited.state === "settled", `the Session is ${waited.state}`)
      const { result } = waited
      const status = [result.session, result.prompt, result.status]
      expectEqual(`Session, prompt and status (${show(result.reason)})`, status, [sessionID, prompt, "done"])
      const { items } = await client.sessions.messages({ sessionID, order: "newest-first" })
      expectTrue("it is not the newest answer", items[0]?.kind === "assistant" && result.text !== "")
    },
  },
  {
    rule: "PG3",
    title: "a cut that is asked for is on record, and its messages stay stored",
    needs: prompted,
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      for (let nth = 0; nth < 2; nth++) {
        await client.sessions.prompt({ sessionID, text })
        await settled(client, { sessionID })
      }
      const before = await client.sessions.messages({ sessionID })
      await client.sessions.fold({ sessionID })
      const { items } = await client.sessions.history({ sessionID, limit: 200 })
      const last = items.at(-1)?.fact
      expectTrue(`the last fact is ${show(last)}`, last?.type === "signal.raised" && last.kind === "fold")
      expectEqual("the messages", await client.sessions.messages({ sessionID }), before)
    },
  },
  {
    rule: "PS7",
    title:
      "what waits is done when it is asked for, on record; a Session that never broke has no receipt and nothing to rebuild",
    needs: prompted,
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      await client.sessions.prompt({ sessionID, text })
      await settled(client, { sessionID })
      await client.sessions.flush({ sessionID })
      const { items } = await client.sessions.history({ sessionID, limit: 200 })
      const last = items.at(-1)?.fact
      expectTrue(`the last fact is ${show(last)}`, last?.type === "signal.raised" && last.kind === "flush")
      expectEqual("receipts", (await client.sessions.receipts({ sessionID })).items, [])
      expectEqual("ranges rebuilt", (await client.sessions.rebuild({ sessionID })).ranges, 0)
    },
  },
  {
    rule: "PG3",
    title: "a probe without a message says whether that is taken, and leaves the message where it is",
    needs: prompted,
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      for (let nth = 0; nth < 2; nth++) {
        await client.sessions.prompt({ sessionID, text })
        await settled(client, { sessionID })
      }
      const before = await client.sessions.messages({ sessionID })
      const [first] = before.items
      assert(first !== undefined, "there is no message")
      const probe = await client.sessions.probe({ sessionID, without: [first.id] })
      expectTrue(`it answers ${show(probe)}`, probe.kind === "taken" || probe.reason.message !== "")
      expectEqual("the messages", await client.sessions.messages({ sessionID }), before)
    },
  },
]

const configured: readonly Case[] = [
  {
    rule: "PG4",
    title: "every model is of a provider that is listed, and each has as many as it says",
    run: async ({ client }) => {
      const counts = new Map<string, number>()
      for await (const { provider } of everyItem((page) => client.models.list(page)))
        counts.set(provider, (counts.get(provider) ?? 0) + 1)
      const listed = new Map<string, number>()
      for await (const { name, models } of everyItem((page) => client.providers.list(page)))
        listed.set(name, models)
      for (const [provider, count] of counts)
        expectEqual(`models of ${provider}`, listed.get(provider), count)
    },
  },
  {
    rule: "PG4",
    title: "models of one provider are of that provider",
    run: async ({ client, skip }) => {
      const [first] = (await client.models.list({ limit: 1 })).items
      if (first === undefined) return skip("There is no model.")
      const { items } = await client.models.list({ provider: first.provider })
      expectEqual("providers", [...new Set(items.map(({ provider }) => provider))], [first.provider])
    },
  },
  {
    rule: "AU1",
    title: "the configuration says where each key comes from, and shows none, nor the token",
    needs: ["raw"],
    run: async ({ client, ask, token }) => {
      const configuration = await client.config.get()
      const sent = await ask("/api/config")
      expectEqual("the answer", sent.json, configuration)
      expectTrue("the token is in it", !sent.text.includes(token()))
      for (const provider of configuration.providers) {
        const fields = Object.keys(provider).toSorted()
        const known = ["baseUrl", "from", "key", "keyFrom", "models", "name", "wire"]
        expectEqual(`fields of ${provider.name}`, fields, known)
        expectTrue(`its key is ${show(provider.key)}`, ["given", "none", "missing"].includes(provider.key))
      }
    },
  },
]

const places: readonly Case[] = [
  {
    rule: "CO3",
    title: "opening a known Location again is the same Location, and it is listed once",
    run: async ({ client }) => {
      const home = await client.locations.get()
      const { directory } = home
      expectEqual("opened", await client.locations.open({ directory }), home)
      expectEqual(
        "opened by another spelling",
        await client.locations.open({ directory: `${directory}/.` }),
        home,
      )
      expectEqual("read", await client.locations.get({ directory }), home)
      let listed = 0
      for await (const location of everyItem((page) => client.locations.list(page)))
        if (location.directory === directory) listed++
      expectEqual("how often it is listed", listed, 1)
    },
  },
  {
    rule: "CO3",
    title: "a Location that cannot be there is typed",
    run: async ({ client }) => {
      const directory = "/no/such/place/of-conformance"
      await expectFailure("opened", client.locations.open({ directory }), "LocationMissing")
      await expectFailure("read", client.locations.get({ directory }), "LocationUnknown", "LocationMissing")
    },
  },
  {
    rule: "PG4",
    title: "a file of the Location is listed, found by its name, and read as long as it says",
    run: async ({ client, skip }) => {
      const { items } = await client.files.list()
      const file = items.find(({ kind, bytes }) => kind === "file" && bytes !== null && bytes < 65_536)
      if (file === undefined) return skip("There is no small file in the Location.")
      const { bytes } = await client.files.read({ path: file.path })
      expectEqual("its length", bytes.length, file.bytes)
      const half = await client.files.read({ path: file.path, offset: 1, length: 4 })
      expectEqual("a part of it", Buffer.from(half.bytes), Buffer.from(bytes.slice(1, 5)))
      for await (const found of everyItem((page) =>
        client.files.find("cursor" in page ? page : { name: file.name }),
      ))
        if (found.path === file.path) return
      assert.fail(`${file.path} is not found by its name`)
    },
  },
  {
    rule: "PG4",
    title: "files outside of the Location are refused",
    run: async ({ client }) => {
      const { files } = client
      for (const path of ["../", "../../etc/passwd", "/etc/passwd"])
        for (const call of [files.read, files.list]) await expectFailure(path, call({ path }), "PathOutside")
    },
  },
]

/** A terminal that echoes what it is given; gone afterwards. */
async function withTerminal({ client, skip }: Stage, use: (pty: Pty) => Promise<void>): Promise<void> {
  const pty = await client.ptys.create({ argv: ["cat"], title: "Conformance" }).catch((failure: unknown) => {
    if (isFailure(failure, "PtyUnavailable")) return skip("The target can start no terminal.")
    throw failure
  })
  try {
    await use(pty)
  } finally {
    await client.ptys.close({ ptyID: pty.id })
  }
}

const terminals: readonly Case[] = [
  {
    rule: "PT1",
    title: "a terminal is read as it was made, listed, and another size once it is resized",
    needs: ["terminals"],
    run: (stage) =>
      withTerminal(stage, async ({ id: ptyID, title, directory, columns, rows }) => {
        const { ptys } = stage.client
        const read = await ptys.get({ ptyID })
        const shown = [read.id, read.title, read.directory, read.columns, read.rows, read.exit]
        expectEqual("the terminal", shown, [ptyID, title, directory, columns, rows, null])
        const listed: string[] = []
        for await (const { id } of everyItem((page) => ptys.list(page))) listed.push(id)
        expectTrue("it is not listed", listed.includes(ptyID))
        const size = { columns: columns + 7, rows: rows + 3 }
        const resized = await ptys.resize({ ptyID, ...size })
        expectEqual("its size", { columns: resized.columns, rows: resized.rows }, size)
        expectEqual("its size when it is read", (await ptys.get({ ptyID })).columns, size.columns)
      }),
  },
  {
    rule: "PT1",
    title: "what is written to a terminal reaches its program",
    needs: ["terminals"],
    run: (stage) =>
      withTerminal(stage, async ({ id: ptyID }) => {
        await stage.client.ptys.write({ ptyID, input: "conformance\r" })
        let seen = ""
        for await (const item of stage.client.ptys.attach({ ptyID, from: 0 })) {
          if (item.type === "output") seen += Buffer.from(item.data, "base64").toString()
          // Once by the terminal, once by the program.
          if (seen.split("conformance").length > 2) return
        }
        assert.fail(`it ended after ${show(seen)}`)
      }),
  },
]

export const answerCases: readonly Case[] = [...work, ...configured, ...places, ...terminals]
