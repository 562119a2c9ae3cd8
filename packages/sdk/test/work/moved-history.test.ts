/** What was said in a folder is found where that folder stands now and nowhere else, whatever is asked there first. */
import { mkdirSync, renameSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { openHoldfast } from "../../src/index.ts"
import { makePlace, type OpenClient, type Place } from "../place.ts"

type Step = readonly [kind: "make" | "ask", at: string] | readonly [kind: "move", from: string, to: string]

const swap: readonly Step[] = [
  ["move", "a", "between"],
  ["move", "b", "a"],
  ["move", "between", "b"],
]

const journeys = {
  "that moves and comes back": [
    ["make", "a"],
    ["ask", "a"],
    ["move", "a", "b"],
    ["ask", "b"],
    ["move", "b", "a"],
    ["ask", "a"],
  ],
  "whose place another one takes, before they change places": [
    ["make", "a"],
    ["ask", "a"],
    ["move", "a", "b"],
    ["make", "a"],
    ["ask", "a"],
    ["ask", "b"],
    ...swap,
    ["ask", "a"],
    ["ask", "b"],
  ],
  "that changes places with another one, and back": [
    ["make", "a"],
    ["make", "b"],
    ["ask", "a"],
    ["ask", "b"],
    ...swap,
    ["ask", "a"],
    ["ask", "b"],
    ...swap,
    ["ask", "b"],
    ["ask", "a"],
  ],
  "that is away while another one stands there": [
    ["make", "a"],
    ["ask", "a"],
    ["move", "a", "b"],
    ["make", "a"],
    ["ask", "a"],
    ["move", "a", "c"],
    ["move", "b", "a"],
    ["ask", "a"],
    ["ask", "c"],
  ],
  "that takes the place of the one around it": [
    ["make", "a"],
    ["make", "a/b"],
    ["ask", "a/b"],
    ["move", "a/b", "c"],
    ["move", "c", "a"],
    ["ask", "a"],
    ["make", "a/b"],
    ["ask", "a/b"],
    ["ask", "a"],
  ],
} satisfies Readonly<Record<string, readonly Step[]>>

/** What is asked before anything is said, where it is not the prompt itself. */
const firsts = {
  memory: (holdfast: OpenClient, directory: string) => holdfast.memories.list({ directory }),
  search: (holdfast: OpenClient, directory: string) =>
    holdfast.searches.find({ directory, query: "narwhal" }),
}

const say = async ({ sessions, locations }: OpenClient, directory: string, title: string): Promise<void> => {
  await locations.open({ directory })
  const { id: sessionID } = await sessions.create({ directory, title })
  await sessions.prompt({ sessionID, text: `A narwhal, ${title}.` })
  await sessions.wait({ sessionID })
}

const found = async ({ searches }: OpenClient, directory: string): Promise<readonly string[]> => {
  const result = await searches.find({ directory, query: "narwhal" })
  return [...new Set(result.found.map(({ title }) => title ?? ""))].toSorted()
}

/** Goes the way, and asks in each folder that stands; `said` is by the folder, wherever it is. */
async function travel(
  place: Place,
  steps: readonly Step[],
  ask: (directory: string, said: string[]) => Promise<void>,
): Promise<void> {
  const at = (name: string): string => join(dirname(place.directory), name)
  const standing = new Map<string, string[]>()
  for (const [kind, name, to = ""] of steps) {
    const said = standing.get(name) ?? []
    if (kind === "make") mkdirSync(at(name))
    if (kind === "make") standing.set(name, said)
    if (kind === "ask") await ask(at(name), said)
    if (kind !== "move") continue
    renameSync(at(name), at(to))
    standing.delete(name)
    standing.set(to, said)
  }
}

/** The store as it was written before each Session had a row of its own. */
function forgetOwnRows({ options: { dataDir = "" } }: Place): void {
  using db = new DatabaseSync(join(dataDir, "holdfast.db"))
  db.exec("DELETE FROM location WHERE directory LIKE '%//%'")
}

/** A process for each folder that is asked. */
async function travelByCommands(
  steps: readonly Step[],
  first: (holdfast: OpenClient, directory: string) => Promise<unknown> = async () => {},
): Promise<void> {
  await using place = await makePlace()
  let number = 0
  await travel(place, steps, async (directory, said) => {
    await using holdfast = await openHoldfast({ ...place.options, directory })
    await first(holdfast, directory)
    said.push(`number ${++number}`)
    await say(holdfast, directory, `number ${number}`)
    expect(await found(holdfast, directory)).toEqual(said)
  })
}

describe.each(Object.entries(journeys))("a folder %s", (_, steps) => {
  test("[SE1 MM1] has its own history, and no other, in processes that begin with a prompt", () =>
    travelByCommands(steps))
  test("[SE1 MM1] has its own history, and no other, in a process that stays", async () => {
    await using place = await makePlace()
    await using holdfast = await place.open()
    let number = 0
    await travel(place, steps, async (directory, said) => {
      said.push(`number ${++number}`)
      await say(holdfast, directory, `number ${number}`)
      expect(await found(holdfast, directory)).toEqual(said)
    })
  })
})

test.each(Object.entries(firsts))(
  "[SE1 MM1] folders that change places have their own histories where %s comes first",
  (_, first) => travelByCommands(journeys["whose place another one takes, before they change places"], first),
)

test("[SE1 MM1] a folder keeps its history in a store that knows its Sessions by their directory alone", async () => {
  await using place = await makePlace()
  await using holdfast = await place.open()
  let number = 0
  const steps: readonly Step[] = journeys["whose place another one takes, before they change places"].slice(
    0,
    3,
  )
  await travel(
    place,
    [...steps, ["ask", "b"], ["make", "a"], ["ask", "a"], ["ask", "b"]],
    async (at, said) => {
      if (number === 2) forgetOwnRows(place)
      said.push(`number ${++number}`)
      await say(holdfast, at, `number ${number}`)
      expect(await found(holdfast, at)).toEqual(said)
    },
  )
})
