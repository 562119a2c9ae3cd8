/** docs/http.md is played against a real server: each command, in its order, and each example. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { expect, test } from "vitest"
import { failureStatus, sessionInputs } from "@holdfast/protocol"
import { factShapes } from "@holdfast/schema/event"
import { PublicFact } from "@holdfast/schema/fact/public"
import { LiveStreamEvent } from "@holdfast/schema/live"
import { handleOf } from "@holdfast/schema/media"
import { commandsOf, operationOf, parseCommand, play, type Variables } from "./page-commands.ts"
import { routes } from "./routes.ts"
import { openSurface, token } from "./surface.ts"

const page = readFileSync(join(import.meta.dirname, "../../../docs/http.md"), "utf8")

/** PNG, 3 × 2. */
const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEElEQVQImWMQiToBQQxwFgBEhAdFhXuAAQAAAABJRU5ErkJggg=="

const commands = commandsOf(page)

test(
  "docs/http.md has a command for every operation, and each is answered",
  { timeout: 60_000 },
  async () => {
    const locate = (directory: string) => Effect.succeed({ directory, projectRoot: directory })
    const surface = await openSurface({ locate })
    writeFileSync(join(surface.directory, "README.md"), "# Corner bakery\n")
    const variables: Variables = {
      AUTH: `Authorization: Bearer ${token}`,
      URL: "http://localhost:4096",
      DATA: picture,
    }
    const played = new Set<string>()
    try {
      for (const line of commands) {
        const command = parseCommand(line, variables)
        const name = operationOf(command)
        const { status, json } = await play(surface.handler, command)
        expect([line, status, json?._tag]).toEqual([line, statusOf(name), tagOf(name)])
        played.add(name)
        remember(name, json, variables)
      }
    } finally {
      await surface.close()
    }
    // Terminals are processes, and have a page of their own.
    const shown = routes.filter(({ name }) => !name.startsWith("ptys."))
    const named = [...shown.map(({ name }) => name), "openapi"]
    expect([...played].toSorted()).toEqual(named.toSorted())
  },
)

test("[EV1] docs/http.md shows each durable event as it is sent, and no other", () => {
  const facts = examples("facts")
  const decode = Schema.decodeUnknownSync(PublicFact, { onExcessProperty: "error" })
  for (const fact of facts) expect(() => decode(fact), fact.type).not.toThrow()
  expect(typesOf(facts)).toEqual([...factShapes.keys()].toSorted())
})

test("[EV2 EV4] docs/http.md shows each live event as it is sent, and no other", () => {
  const events = examples("live")
  for (const event of events) Schema.decodeUnknownSync(LiveStreamEvent)(event)
  const declared = LiveStreamEvent.members.flatMap((member) =>
    "members" in member
      ? member.members.map(({ fields }) => fields.type.literal)
      : member.fields.type.literal,
  )
  expect(typesOf(events)).toEqual(declared.toSorted())
})

test("docs/http.md lists every failure with its status", () => {
  for (const [tag, status] of Object.entries(failureStatus)) {
    const row = page.split("\n").find((line) => line.includes(`\`${tag}\``))
    expect(row).toMatch(new RegExp(`^\\| (\\d+, )?${status}\\b`))
  }
})

test("[CO3] docs/http.md tells every field that a Session and a prompt are made of", () => {
  const { create, update, prompt, fork } = sessionInputs
  const fields = [create, update, prompt, fork].flatMap(({ payload }) => Object.keys(payload.fields))
  expect(fields.filter((field) => !page.includes(`\`${field}\``) && !page.includes(`"${field}"`))).toEqual([])
})

/** A Session that owes nothing refuses `resume`, and the page says so; the model and the ask of the page are not of this place. */
const refusals: Readonly<Record<string, keyof typeof failureStatus>> = {
  "sessions.resume": "NothingOwed",
  "sessions.switchModel": "ModelNotFound",
  "asks.answer": "AskNotOpen",
}

const tagOf = (name: string): string | undefined => refusals[name]

function statusOf(name: string): number {
  const refused = refusals[name]
  if (refused !== undefined) return failureStatus[refused]
  if (name === "sessions.create" || name === "sessions.fork") return 201
  return ["delete", "flush", "fold", "interrupt", "quarantine"].includes(name.split(".")[1] ?? "") ? 204 : 200
}

/** What later commands of the page speak of. */
function remember(name: string, json: any, variables: Variables): void {
  if (name === "sessions.create") variables["SESSION"] = json.id
  if (name === "sessions.turns") variables["TURN"] = json.items[0].started.turn
  if (name === "dreams.run") variables["RUN"] = json.run
  if (name !== "sessions.messages") return
  const message = json.items.find((item: { images?: readonly unknown[] }) => item.images !== undefined)
  variables["MESSAGE"] = message.id
  variables["HANDLE"] = handleOf(message.images[0])
}

interface Example {
  readonly type: string
}

const examples = (kind: "facts" | "live"): readonly Example[] =>
  [...page.matchAll(new RegExp(`<!-- ${kind} -->\n\`\`\`jsonl\n([\\s\\S]*?)\`\`\``, "g"))]
    .flatMap(([, block = ""]) => block.trim().split("\n"))
    .map((line) => JSON.parse(line) as Example)

const typesOf = (found: readonly Example[]): readonly string[] =>
  [...new Set(found.map(({ type }) => type))].toSorted()
