/** What logs and traces call a request by. */
import { expect, test } from "vitest"
import { noPattern, routePattern } from "../../src/route-pattern.ts"
import { fill, routes } from "../routes.ts"

const values = {
  sessionID: "ses_1",
  promptID: "a:b",
  messageID: "msg_1",
  turnID: "trn_1",
  handle: "media:ab",
  ptyID: "pty_1",
  askID: "ask_1",
  memoryID: "m1",
  noteID: "s1",
  runID: "run_1",
  workspace: "shop",
}

test.each(routes)("$name is called by its pattern", ({ method, path }) => {
  expect(routePattern(method, fill(path, values))).toBe(path)
  expect(routePattern(method, `${fill(path, values)}?after=1/2#x`)).toBe(path)
})

test.each([
  ["GET", "/docs", "/docs"],
  ["HEAD", "/openapi.json", "/openapi.json"],
  ["GET", "/metrics?x=1", "/metrics"],
  ["GET", "/", noPattern],
  ["GET", "/api/session/ses_1/secret words", noPattern],
  ["POST", "/metrics", noPattern],
  ["PURGE", "/api/session", noPattern],
])("%s %s is called %s", (method, url, pattern) => expect(routePattern(method, url)).toBe(pattern))
