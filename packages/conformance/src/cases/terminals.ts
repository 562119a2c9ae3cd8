/** Terminals (PT1), without starting one: what is not there, and who is not let in by a WebSocket (AU1). */
import { everyItem } from "@holdfast/client"
import type { Case } from "../case.ts"
import { everyOperation } from "../contract.ts"
import { expectFailure, expectRefusal } from "../expect.ts"
import { callByName } from "../stage.ts"
import { absentIds } from "./ids.ts"

const ptyID = "pty_00000000000000000000"

const absent: readonly Case[] = everyOperation
  .filter(
    ({ name, params, rest, answer }) =>
      name.startsWith("ptys.") && params.join() === "ptyID" && rest !== "payload" && answer !== "events",
  )
  .map((operation) => ({
    rule: "PT1",
    title: `${operation.name} of a terminal that is not there is PtyNotFound`,
    run: async ({ client }) => {
      await expectFailure(
        "the terminal",
        callByName(client, operation, { ptyID }) as Promise<unknown>,
        "PtyNotFound",
      )
    },
  }))

const upgrade = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
}

const sockets: readonly Case[] = [
  ["without a ticket", "", {}],
  ["with an empty ticket", "?ticket=", {}],
  ["with a forged ticket", "?ticket=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", {}],
  ["from a foreign Origin", "?ticket=x", { origin: "https://evil.example" }],
  ["by a foreign Host", "?ticket=x", { host: "evil.example" }],
].map(([how, query, headers]) => ({
  rule: "AU1",
  title: `a WebSocket ${String(how)} is refused`,
  needs: ["raw"] as const,
  run: async ({ ask }) => {
    for (const id of [ptyID, absentIds["ptyID"] ?? ""]) {
      const given = { ...upgrade, authorization: null, ...(headers as Readonly<Record<string, string>>) }
      // Where there is no listener, there is no such path either; both refuse with a typed body.
      expectRefusal(String(how), await ask(`/api/pty/${id}/socket${String(query)}`, { headers: given }))
    }
  },
}))

export const terminalCases: readonly Case[] = [
  {
    rule: "PT1",
    title: "a terminal in a directory that does not exist is LocationMissing",
    run: async ({ client }) => {
      const call = client.ptys.create({ directory: "/no/such/place/of-conformance" })
      await expectFailure("the terminal", call, "LocationMissing")
    },
  },
  {
    rule: "PT1",
    title: "a terminal outside of every known Location is LocationUnknown",
    run: async ({ client, skip }) => {
      const root = "/"
      for await (const { directory } of everyItem((page) => client.locations.list(page)))
        if (directory === root) skip("Every directory lies in a known Location.")
      // Nothing is started by a server that lets it in: there is no such program.
      const call = client.ptys.create({ directory: root, argv: ["/no/such/program/of-conformance"] })
      await expectFailure("the terminal", call, "LocationUnknown")
    },
  },
  ...absent,
  ...sockets,
]
