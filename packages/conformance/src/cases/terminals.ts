/**
 * Terminals (PT1): what is not there, and who is not let in by a WebSocket (AU1). Tickets are made for
 * terminals that are there, so the cases of them start some, where that is allowed.
 */
import { everyItem, isFailure } from "@holdfast/client"
import type { Case } from "../case.ts"
import { everyOperation } from "../contract.ts"
import { expectEqual, expectFailure, expectRefusal } from "../expect.ts"
import { callByName, type Stage } from "../stage.ts"
import { TookWebSocket } from "../target.ts"
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

type Ticket = (ptyID: string, origin?: string) => Promise<string>

/** Two terminals of nothing but patience, and tickets for them; both are gone afterwards. */
async function withTerminals(
  { client, skip }: Stage,
  work: (mine: string, other: string, ticket: Ticket) => Promise<void>,
): Promise<void> {
  const made: string[] = []
  const start = async () => {
    const { id } = await client.ptys.create({ argv: ["sleep", "60"] }).catch((failure: unknown) => {
      if (isFailure(failure, "PtyUnavailable")) skip("The target can start no terminal.")
      throw failure
    })
    made.push(id)
    return id
  }
  try {
    await work(await start(), await start(), async (id, origin) => {
      const options = origin === undefined ? {} : { headers: { origin } }
      return (await client.ptys.ticket({ ptyID: id }, options)).ticket
    })
  } finally {
    for (const id of made) await client.ptys.close({ ptyID: id })
  }
}

/** Whether a WebSocket comes about; if not, it must be refused for want of a ticket. */
async function attempt(
  { ask }: Stage,
  about: string,
  id: string,
  ticket: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<"open" | "refused"> {
  const asked = { headers: { ...upgrade, authorization: null, ...headers } }
  const answer = await ask(`/api/pty/${id}/socket?ticket=${ticket}`, asked).catch((failure: unknown) => {
    if (failure instanceof TookWebSocket) return null
    throw failure
  })
  if (answer === null) return "open"
  expectRefusal(about, answer, "Unauthorized")
  return "refused"
}

const tickets: readonly Case[] = [
  {
    rule: "AU1",
    title: "a ticket lets one WebSocket in, and no second one",
    needs: ["raw", "terminals"],
    run: (stage) =>
      withTerminals(stage, async (mine, _, ticket) => {
        const once = await ticket(mine)
        expectEqual("the first time", await attempt(stage, "the first time", mine, once), "open")
        expectEqual("the second time", await attempt(stage, "the second time", mine, once), "refused")
      }),
  },
  {
    rule: "AU1",
    title: "a ticket of another terminal lets no WebSocket in",
    needs: ["raw", "terminals"],
    run: (stage) =>
      withTerminals(stage, async (mine, other, ticket) => {
        const foreign = await ticket(other)
        expectEqual("the terminal", await attempt(stage, "the terminal", mine, foreign), "refused")
      }),
  },
  {
    rule: "AU1",
    title: "a ticket of another Origin lets no WebSocket in",
    needs: ["raw", "terminals"],
    run: (stage) =>
      withTerminals(stage, async (mine, _, ticket) => {
        const origin = stage.origin()
        const ofPage = await attempt(stage, "a page's ticket", mine, await ticket(mine, origin))
        const ofProgram = await attempt(stage, "a program's ticket", mine, await ticket(mine), { origin })
        const own = await attempt(stage, "its own", mine, await ticket(mine, origin), { origin })
        expectEqual("page, program, its own", [ofPage, ofProgram, own], ["refused", "refused", "open"])
      }),
  },
]

const refusals: readonly Case[] = [
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
  ...tickets,
]

export const terminalCases: readonly Case[] = refusals.map((one) => ({ ...one, changesNothing: true }))
