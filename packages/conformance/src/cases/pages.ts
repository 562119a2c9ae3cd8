/**
 * Pages (PG1, PG4): every list of the contract, walked, cut and forged. Three lists can be filled
 * without a model: Sessions, the inbox and the history; the others are looked at as they are.
 */
import { strict as assert } from "node:assert"
import { everyItem, type Page, type PageInput } from "@holdfast/client"
import type { Case } from "../case.ts"
import { everyOperation, inputFieldsOf, type NamedOperation } from "../contract.ts"
import { expectEqual, expectFailure, expectRefusal, expectStatus, expectTrue, show } from "../expect.ts"
import { callByName, pathOf, type Stage } from "../stage.ts"

type Read = (page: PageInput) => Promise<Page<unknown>>

interface Filled {
  readonly name: string
  /** At least this many items. */
  readonly open: (stage: Stage, count: number) => Promise<Read>
  /** What tells one item from another. */
  readonly keyOf: (item: never) => unknown
}

const filled: readonly Filled[] = [
  {
    name: "sessions.list",
    open: async ({ client, session }, count) => {
      for (let nth = 0; nth < count; nth++) await session()
      return (page) => client.sessions.list(page as { readonly limit?: number })
    },
    keyOf: ({ id }: { readonly id: string }) => id,
  },
  {
    name: "sessions.inbox",
    open: async ({ client, session }, count) => {
      const { id: sessionID } = await session()
      for (let nth = 0; nth < count; nth++)
        await client.sessions.prompt({ sessionID, text: `Prompt ${nth}`, resume: false })
      return (page) => client.sessions.inbox({ sessionID, ...(page as { readonly limit?: number }) })
    },
    keyOf: ({ id }: { readonly id: string }) => id,
  },
  {
    name: "sessions.history",
    open: async ({ client, session }, count) => {
      const { id: sessionID } = await session()
      for (let nth = 0; nth < count; nth++) await client.sessions.update({ sessionID, title: `Title ${nth}` })
      return (page) => client.sessions.history({ sessionID, ...(page as { readonly limit?: number }) })
    },
    keyOf: ({ seq }: { readonly seq: number }) => seq,
  },
]

const itemsMade = 7

const walked = ({ name, open, keyOf }: Filled): readonly Case[] => [
  {
    rule: "PG1",
    title: `${name} gives every item once, in one order, whatever the size of the page`,
    run: async (stage) => {
      const read = await open(stage, itemsMade)
      const whole = (await read({ limit: 200 })).items.slice(0, itemsMade)
      for (const limit of [1, 2, 3, itemsMade]) {
        const found: unknown[] = []
        for await (const item of everyItem(read, { limit })) {
          found.push(item)
          if (found.length === itemsMade) break
        }
        expectEqual(
          `pages of ${limit}`,
          found.map((item) => keyOf(item as never)),
          whole.map((item) => keyOf(item as never)),
        )
      }
    },
  },
  {
    rule: "PG1",
    title: `${name} leads back by its previous cursor`,
    run: async (stage) => {
      const read = await open(stage, itemsMade)
      const first = await read({ limit: 3 })
      const second = await read({ cursor: cursorOf(first.next) })
      const back = await read({ cursor: cursorOf(second.previous) })
      expectEqual(
        "the first page",
        back.items.map((item) => keyOf(item as never)),
        first.items.map((item) => keyOf(item as never)),
      )
    },
  },
  {
    rule: "PG1",
    title: `${name} has no previous cursor on its first page`,
    run: async (stage) => {
      const read = await open(stage, 2)
      expectEqual("previous", (await read({ limit: 1 })).previous, null)
    },
  },
  {
    rule: "PG1",
    title: `${name} keeps to the size of a page, and carries it in the cursor`,
    run: async (stage) => {
      const read = await open(stage, itemsMade)
      const first = await read({ limit: 2 })
      const second = await read({ cursor: cursorOf(first.next) })
      expectEqual("items on both pages", [first.items.length, second.items.length], [2, 2])
    },
  },
  {
    rule: "PG1",
    title: `${name} answers the same cursor twice alike`,
    run: async (stage) => {
      const read = await open(stage, itemsMade)
      const cursor = cursorOf((await read({ limit: 2 })).next)
      expectEqual("the second answer", (await read({ cursor })).items, (await read({ cursor })).items)
    },
  },
  {
    rule: "PG1",
    title: `${name} takes nothing beside a cursor`,
    run: async (stage) => {
      const read = await open(stage, 3)
      const cursor = cursorOf((await read({ limit: 1 })).next)
      await expectFailure("a cursor with a limit", read({ cursor, limit: 1 }), "InvalidRequest")
    },
  },
  {
    rule: "PG1",
    title: `${name} refuses a cursor of which one letter was changed, left out or added`,
    run: async (stage) => {
      const read = await open(stage, 3)
      const cursor = cursorOf((await read({ limit: 1 })).next)
      for (const [what, forged] of forgeries(cursor))
        await expectFailure(`a cursor ${what}`, read({ cursor: forged }), "InvalidCursor", "InvalidRequest")
    },
  },
]

/** Of a real cursor, with what was done to each. */
function forgeries(cursor: string): readonly (readonly [what: string, forged: string])[] {
  const changed = [0, Math.floor(cursor.length / 2), cursor.length - 2].map((at) => {
    const letter = cursor[at] === "A" ? "B" : "A"
    return [`with another letter at ${at}`, cursor.slice(0, at) + letter + cursor.slice(at + 1)] as const
  })
  return [
    ...changed,
    ["without its first letter", cursor.slice(1)],
    ["without its last two letters", cursor.slice(0, -2)],
    ["with four letters more", `${cursor}AAAA`],
    ["read backwards", [...cursor].toReversed().join("")],
    ["given twice in one", cursor + cursor],
  ]
}

function cursorOf(cursor: string | null): string {
  assert(cursor !== null, "expected a cursor to go on, got null")
  return cursor
}

const limits: readonly (readonly [limit: string, fits: boolean])[] = [
  ["1", true],
  ["200", true],
  ["0", false],
  ["201", false],
  ["-1", false],
  ["1.5", false],
  ["1e2", false],
  ["0x10", false],
  ["ten", false],
  ["", false],
  ["99999999999999999999", false],
]

/** For each operation with a query; those that take no cursor are no lists. */
const perList = everyOperation
  .filter(({ rest }) => rest === "query")
  .flatMap((operation): readonly Case[] => [
    {
      rule: "PG4",
      title: `${operation.name} is a Page`,
      needs: ["raw"],
      run: async (stage) => {
        const page = await firstPage(stage, operation)
        expectTrue(`no items in ${show(page)}`, Array.isArray(page.items))
        for (const cursor of [page.next, page.previous])
          expectTrue(
            `a cursor is ${show(cursor)}`,
            cursor === null || (typeof cursor === "string" && cursor !== ""),
          )
        expectEqual("fields of the Page", Object.keys(page).sort(), ["items", "next", "previous"])
      },
    },
    {
      rule: "PG4",
      title: `${operation.name} refuses a size that is no whole number from 1 to 200`,
      needs: ["raw"],
      run: async (stage) => {
        const path = await listPath(stage, operation)
        for (const [limit, fits] of limits) {
          const answer = await stage.ask(`${path}?limit=${limit}`)
          if (fits) expectStatus(`limit=${limit}`, answer, 200)
          else expectRefusal(`limit=${limit}`, answer, "InvalidRequest")
        }
      },
    },
    {
      rule: "PG1",
      title: `${operation.name} refuses a parameter that is given twice`,
      needs: ["raw"],
      run: async (stage) => {
        const path = await listPath(stage, operation)
        expectRefusal("limit twice", await stage.ask(`${path}?limit=1&limit=2`), "InvalidRequest")
        expectRefusal(
          "cursor twice",
          await stage.ask(`${path}?cursor=a&cursor=b`),
          "InvalidRequest",
          "InvalidCursor",
        )
      },
    },
  ])

async function listPath(stage: Stage, operation: NamedOperation): Promise<string> {
  if (!("cursor" in inputFieldsOf(await stage.document(), operation)))
    return stage.skip("The operation is no list.")
  if (operation.params.some((param) => param !== "sessionID"))
    return stage.skip("The list is of something else than a Session.")
  const { id: sessionID } = operation.params.length > 0 ? await stage.session() : { id: "" }
  return pathOf(operation, { sessionID })
}

async function firstPage(stage: Stage, operation: NamedOperation): Promise<Page<unknown>> {
  await listPath(stage, operation)
  const { id: sessionID } = await stage.session()
  return (await callByName(
    stage.client,
    operation,
    operation.params.length > 0 ? { sessionID } : {},
  )) as Page<unknown>
}

const across: readonly Case[] = [
  {
    rule: "PG1",
    title: "a cursor of another Session is refused",
    run: async ({ client, session }) => {
      const [one, other] = [await session(), await session()]
      await client.sessions.update({ sessionID: one.id, title: "More" })
      const cursor = cursorOf((await client.sessions.history({ sessionID: one.id, limit: 1 })).next)
      await expectFailure(
        "a foreign cursor",
        client.sessions.history({ sessionID: other.id, cursor }),
        "InvalidCursor",
      )
    },
  },
  {
    rule: "PG1",
    title: "a cursor of another list is refused",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      await client.sessions.update({ sessionID, title: "More" })
      const cursor = cursorOf((await client.sessions.history({ sessionID, limit: 1 })).next)
      const lists = [
        client.sessions.inbox({ sessionID, cursor }),
        client.sessions.messages({ sessionID, cursor }),
        client.sessions.turns({ sessionID, cursor }),
        client.sessions.context({ sessionID, cursor }),
        client.sessions.verify({ sessionID, cursor }),
        client.sessions.list({ cursor }),
        client.sessions.active({ cursor }),
      ]
      await Promise.all(lists.map((list) => expectFailure("a cursor of the history", list, "InvalidCursor")))
    },
  },
  {
    rule: "PG1",
    title: "a cursor goes on where it was, although items were added meanwhile",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      for (const title of ["A", "B", "C"]) await client.sessions.update({ sessionID, title })
      const first = await client.sessions.history({ sessionID, limit: 2 })
      await client.sessions.update({ sessionID, title: "D" })
      const rest: number[] = []
      for await (const { seq } of everyItem(
        (page) => client.sessions.history({ sessionID, ...(page as { readonly cursor: string }) }),
        { cursor: cursorOf(first.next) },
      ))
        rest.push(seq)
      expectEqual("sequences", [...first.items.map(({ seq }) => seq), ...rest], [1, 2, 3, 4, 5])
    },
  },
  {
    rule: "PG1",
    title: "a cursor carries the question: history after a sequence stays after it",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      for (const title of ["A", "B", "C", "D"]) await client.sessions.update({ sessionID, title })
      const first = await client.sessions.history({ sessionID, after: 2, limit: 1 })
      const second = await client.sessions.history({ sessionID, cursor: cursorOf(first.next) })
      expectEqual(
        "sequences",
        [...first.items, ...second.items].map(({ seq }) => seq),
        [3, 4],
      )
    },
  },
  {
    rule: "PG1",
    title: "the cursor of a deleted Session leads to SessionNotFound",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      await client.sessions.update({ sessionID, title: "More" })
      const cursor = cursorOf((await client.sessions.history({ sessionID, limit: 1 })).next)
      await client.sessions.delete({ sessionID })
      await expectFailure("its history", client.sessions.history({ sessionID, cursor }), "SessionNotFound")
    },
  },
  {
    rule: "PG4",
    title: "a page without a size holds at most 200 items",
    run: async ({ client }) => {
      const { items } = await client.sessions.list()
      expectTrue(`it holds ${items.length}`, items.length <= 200)
    },
  },
  {
    rule: "PG4",
    title: "an empty list is a Page without cursors",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const empty = { items: [], next: null, previous: null }
      expectEqual("the inbox", await client.sessions.inbox({ sessionID }), empty)
      expectEqual("the turns", await client.sessions.turns({ sessionID }), empty)
      expectEqual("the messages", await client.sessions.messages({ sessionID }), empty)
    },
  },
]

export const pageCases: readonly Case[] = [...across, ...filled.flatMap(walked), ...perList]
