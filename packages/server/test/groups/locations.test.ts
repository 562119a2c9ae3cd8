/** Locations over the contract: opened once, known from then on, and the only places for Sessions. */
import { mkdir, symlink } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { locate } from "@holdfast/core/host/locations"
import { makeFolder, type Folder } from "../../../../test/stage/opened.ts"
import { openSurface, type Surface } from "../surface.ts"

let folder: Folder
let surface: Surface
const inside = (...names: readonly string[]): string => join(folder.directory, ...names)

beforeAll(async () => {
  folder = makeFolder("locations")
  await mkdir(inside("repository", ".git"), { recursive: true })
  await mkdir(inside("repository", "part"))
  await mkdir(inside("other"))
  await symlink(inside("repository"), inside("link"))
  surface = await openSurface({ locate })
})
afterAll(async () => {
  expect(surface.defects).toEqual([])
  await surface.close()
  folder.remove()
})

const open = (directory: string) => surface.post("/api/location", { directory })
const get = (directory: string) => surface.get(`/api/location?directory=${encodeURIComponent(directory)}`)

describe("[CO3] a Location", () => {
  test("is refused until somebody opens it, and the failure says what to do", async () => {
    const directory = inside("other")
    const refused = { _tag: "LocationUnknown", directory, message: expect.stringContaining("locations.open") }
    for (const answer of [
      await surface.post("/api/session", { directory }),
      await get(directory),
      await surface.get(`/api/files?directory=${encodeURIComponent(directory)}`),
      await surface.get(`/api/config?directory=${encodeURIComponent(directory)}`),
    ]) {
      expect(answer.status).toBe(400)
      expect(answer.json).toMatchObject(refused)
    }
    expect((await open(directory)).json).toEqual({ directory, projectRoot: directory })
    expect((await surface.post("/api/session", { directory })).json.location.directory).toBe(directory)
  })

  test("is canonical, knows its project, and is opened again without a change", async () => {
    const root = inside("repository")
    const part = { directory: join(root, "part"), projectRoot: root }
    for (const directory of [inside("link", "part"), `${root}/./part/`, join(root, "part")])
      expect((await open(directory)).json).toEqual(part)
    expect((await get(inside("link", "part"))).json).toEqual(part)
    const { items } = (await surface.get("/api/locations?limit=200")).json
    expect(items.filter(({ projectRoot }: { projectRoot: string }) => projectRoot === root)).toEqual([part])
  })

  test("of the server is known without being opened, and relative directories start there", async () => {
    const own = { directory: surface.directory, projectRoot: surface.directory }
    expect((await surface.get("/api/location")).json).toEqual(own)
    expect((await surface.get("/api/locations")).json.items).toContainEqual(own)
    await mkdir(join(surface.directory, "attic"))
    expect((await surface.post("/api/session", { directory: "attic" })).json._tag).toBe("LocationUnknown")
    expect((await open("attic")).json.directory).toBe(join(surface.directory, "attic"))
    expect((await surface.post("/api/session", { directory: "attic" })).status).toBe(201)
  })

  test("that is not there is missing, whoever names it", async () => {
    const directory = "/no/such/place"
    for (const answer of [await open(directory), await get(directory)])
      expect([answer.status, answer.json]).toMatchObject([400, { _tag: "LocationMissing", directory }])
  })
})

describe("[PT1] a terminal", () => {
  // There is no such program: what goes wrong with it has passed the directory.
  const createIn = async (directory?: string) => {
    const given = directory === undefined ? {} : { directory }
    const { status, json } = await surface.post("/api/pty", { argv: ["/nothing/here"], ...given })
    return [status, json._tag]
  }
  const passed = [400, "PtyRefused"]

  test("begins in a known Location, or below one", async () => {
    const known = inside("known")
    await mkdir(join(known, "deep", "down"), { recursive: true })
    expect(await createIn(known)).toEqual([400, "LocationUnknown"])
    await open(known)
    for (const directory of [known, join(known, "deep", "down"), `${known}/deep/..`])
      expect(await createIn(directory)).toEqual(passed)
    await mkdir(join(surface.directory, "cellar"))
    for (const directory of [undefined, ".", "cellar", join(surface.directory, "cellar")])
      expect(await createIn(directory)).toEqual(passed)
  })

  test("begins nowhere else, whatever leads there", async () => {
    const own = inside("own")
    await mkdir(inside("own-too"))
    await mkdir(own)
    await open(own)
    await symlink(inside("own-too"), join(own, "out"))
    const refused = [400, "LocationUnknown"]
    for (const directory of [folder.directory, inside("own-too"), `${own}/..`, join(own, "out"), "/", ".."])
      expect(await createIn(directory)).toEqual(refused)
    const { json } = await surface.post("/api/pty", { directory: join(own, "out") })
    expect(json).toMatchObject({
      directory: inside("own-too"),
      message: expect.stringContaining("locations.open"),
    })
    expect(await createIn(inside("not-there"))).toEqual([400, "LocationMissing"])
  })

  test("begins below a Location that a link leads to", async () => {
    await open(inside("repository"))
    expect(await createIn(inside("link", "part"))).toEqual(passed)
  })
})
