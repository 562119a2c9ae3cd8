/** The page of the contract: its own files and nothing else, without a token and without data. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { docsPaths } from "../../src/docs-page.ts"
import { openSurface, type Surface } from "../surface.ts"

let surface: Surface
beforeAll(async () => {
  surface = await openSurface()
})
afterAll(() => surface.close())

const noToken = { headers: { authorization: null } }

test("[AU1] the page, its files and the contract are shown without a token", async () => {
  for (const path of [...docsPaths, "/openapi.json", "/docs?theme=none"]) {
    const answer = await surface.call(path, noToken)
    expect([path, answer.status, answer.text.length > 100]).toEqual([path, 200, true])
  }
})

test.each([
  ["POST", "/docs"],
  ["GET", "/docs/"],
  ["GET", "/docs/nothing.js"],
  ["GET", "/docs/../api/session"],
  ["GET", "/docs/%2e%2e/api/session"],
  ["GET", "/docs/swagger-ui.css/../../api/session"],
  ["GET", "/openapi.json/"],
  ["DELETE", "/openapi.json"],
  ["GET", "/metrics"],
])("[AU1] %s %s needs the token", async (method, path) => {
  const answer = await surface.call(path, { ...noToken, method })
  expect([answer.status, answer.json._tag]).toEqual([401, "Unauthorized"])
})

test.each([{ host: "evil.example" }, { origin: "https://evil.example" }])(
  "[AU1] is refused to %o all the same",
  async (headers) => {
    for (const path of ["/docs", "/openapi.json"])
      expect((await surface.call(path, { headers })).json._tag).toBe("CallerRefused")
  },
)

test("every address in the page is one of its own files", async () => {
  const { text } = await surface.call("/docs", noToken)
  const addresses = [...text.matchAll(/(?:src|href|action|content)="([^"]*)"/g)].map(([, to = ""]) => to)
  const fetched = addresses.filter((to) => to.includes("/"))
  expect(fetched.toSorted()).toEqual(docsPaths.filter((path) => path !== "/docs").toSorted())
  const start = (await surface.call("/docs/start.js", noToken)).text
  expect(start).toContain('url: "/openapi.json"')
  expect(text + start).not.toMatch(/https?:|(?<!\*)\/\/|<style|<script>|style=|onload=/)
})

test("the stylesheet fetches nothing, and the browser is told to fetch nothing from elsewhere", async () => {
  const { text } = await surface.call("/docs/swagger-ui.css", noToken)
  const fetched = [...text.matchAll(/url\(\s*["']?([^"')]{0,40})|@import/g)].map(([whole, to]) => to ?? whole)
  expect(fetched.filter((to) => !to.startsWith("data:"))).toEqual([])
  for (const path of docsPaths) {
    const { headers } = await surface.call(path, noToken)
    const policy = headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(headers.get("x-content-type-options")).toBe("nosniff")
  }
})

test("a file that the browser has is not sent again", async () => {
  const first = await surface.call("/docs/swagger-ui.css", noToken)
  const etag = first.headers.get("etag")
  const again = await surface.call("/docs/swagger-ui.css", {
    headers: { authorization: null, "if-none-match": etag },
  })
  expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag])
})

test("[AU1] the contract holds no data of the server", async () => {
  const secret = `Secret ${Date.now()}`
  await surface.post("/api/session", { title: secret })
  const { text } = await surface.call("/openapi.json", noToken)
  for (const data of [secret, surface.directory, "1.2.3"]) expect(text).not.toContain(data)
})
