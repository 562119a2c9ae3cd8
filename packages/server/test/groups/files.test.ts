/** Files of a Location over the contract. What may be read at all is shown in the tests of the runtime. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openSurface, type Surface } from "../surface.ts"

let surface: Surface
beforeAll(async () => {
  surface = await openSurface()
  const inside = (path: string) => join(surface.directory, "project", path)
  mkdirSync(inside("src"), { recursive: true })
  mkdirSync(inside("dist"))
  for (const name of ["one.ts", "two.ts", "three.ts", "four.ts", "five.ts"])
    writeFileSync(inside(`src/${name}`), name)
  writeFileSync(inside("dist/one.js"), "made")
  writeFileSync(inside(".gitignore"), "dist\n")
  writeFileSync(inside("größe.bin"), Uint8Array.from([0, 255, 10, 13]))
  symlinkSync("/etc", inside("etc"))
})
afterAll(async () => {
  expect(surface.defects).toEqual([])
  await surface.close()
})

const names = (page: { readonly items: readonly { readonly name: string }[] }) =>
  page.items.map(({ name }) => name)

describe("files.list", () => {
  test("gives the entries of a directory by name, with kind and size", async () => {
    const { items } = (await surface.get("/api/files?path=project")).json
    const modifiedAt = expect.any(Number)
    expect(items).toEqual([
      { name: ".gitignore", path: "project/.gitignore", kind: "file", bytes: 5, modifiedAt },
      { name: "dist", path: "project/dist", kind: "directory", bytes: null, modifiedAt },
      { name: "etc", path: "project/etc", kind: "link", bytes: null, modifiedAt },
      { name: "größe.bin", path: "project/größe.bin", kind: "file", bytes: 4, modifiedAt },
      { name: "src", path: "project/src", kind: "directory", bytes: null, modifiedAt },
    ])
  })

  test.each([
    ["project/etc", "PathOutside"],
    ["..", "PathOutside"],
    ["project/nothing", "PathNotFound"],
    ["project/src/one.ts", "PathRefused"],
  ])("[PE2] refuses %s with %s", async (path, tag) => {
    for (const route of ["files", "files/find"]) {
      const answer = await surface.get(`/api/${route}?path=${encodeURIComponent(path)}`)
      expect([answer.json._tag, answer.json.path]).toEqual([tag, path])
      expect(answer.status).toBe(tag === "PathNotFound" ? 404 : 400)
    }
  })
})

describe("files.read", () => {
  test("gives the bytes as they are, and says of what they are a piece", async () => {
    const path = encodeURIComponent("project/größe.bin")
    const response = await surface.handler(
      new Request(`http://localhost:4096/api/file?path=${path}&offset=1&length=2`, {
        headers: { authorization: "Bearer token-for-tests" },
      }),
    )
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([255, 10])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    })
    expect(JSON.parse(decodeURIComponent(response.headers.get("holdfast-file") ?? ""))).toEqual({
      path: "project/größe.bin",
      size: 4,
      offset: 1,
      modifiedAt: expect.any(Number),
    })
  })

  test.each([
    ["project", "PathRefused"],
    ["project/etc/passwd", "PathOutside"],
    ["project/nothing", "PathNotFound"],
  ])("[PE2] refuses %s with %s", async (path, tag) =>
    expect((await surface.get(`/api/file?path=${path}`)).json._tag).toBe(tag),
  )
})

describe("files.find", () => {
  test("finds by a part of the name, without what is ignored", async () => {
    expect(names((await surface.get("/api/files/find?name=ONE&path=project")).json)).toEqual(["one.ts"])
    expect(names((await surface.get("/api/files/find?name=.ts&path=project")).json)).toEqual([
      "five.ts",
      "four.ts",
      "one.ts",
      "three.ts",
      "two.ts",
    ])
  })

  test("[PG1] an empty page behind the last item leads back to it", async () => {
    const found = async (query: string) => (await surface.get(`/api/files/find?${query}`)).json
    const first = await found("name=.ts&path=project&limit=4")
    const second = await found(`cursor=${first.next}`)
    expect([names(second), second.next]).toEqual([["two.ts"], null])
    expect(names(await found(`cursor=${second.previous}`))).toEqual(names(first))
  })
})
