/** What a line of /proc tells of a process. */
import { expect, test } from "vitest"
import { parseStatus } from "../../src/pty/process-tree.ts"

const rest = "0 -1 4194304 1 0 0 0 1 2 0 0 20 0 1 0 4711 0 0"

test.each([
  ["an ordinary one", `12 (sh) S 1 12 9 ${rest}`, { lives: true, session: 9, startedAt: "4711" }],
  ["a strange name", `12 (a) b (c) R 1 12 9 ${rest}`, { lives: true, session: 9, startedAt: "4711" }],
  ["a zombie", `12 (sh) Z 1 12 9 ${rest}`, { lives: false, session: 9, startedAt: "4711" }],
  ["one that is gone", "", null],
])("[PT1] %s", (_, line, status) => expect(parseStatus(line)).toEqual(status))
