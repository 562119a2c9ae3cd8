/** What a terminal inherits, layer by layer. */
import { expect, test } from "vitest"
import { terminalEnvironment } from "../../src/pty/environment.ts"

const none = { own: {}, given: {}, overlay: {} }
const forced = { TERM: "xterm-256color", HOLDFAST_TERMINAL: "pty_a" }

test("[PT1] a later layer wins: inherited, given, overlay, forced", () => {
  const own = { A: "own", B: "own", C: "own", TERM: "dumb", PATH: "/bin" }
  const given = { B: "given", C: "given", TERM: "vt100", HOLDFAST_TERMINAL: "mine" }
  const overlay = { C: "overlay", TERM: "ansi" }
  expect(terminalEnvironment("pty_a", { own, given, overlay })).toEqual({
    A: "own",
    B: "given",
    C: "overlay",
    PATH: "/bin",
    ...forced,
  })
})

test("[PT1] what is inherited is filtered as for commands, what is given is not", () => {
  const secrets = { OPENAI_API_KEY: "x", MY_TOKEN: "x", DB_PASSWORD: "x", HOLDFAST_DATA: "x" }
  expect(terminalEnvironment("pty_a", { ...none, own: secrets })).toEqual(forced)
  const given = { MY_TOKEN: "wanted" }
  expect(terminalEnvironment("pty_a", { ...none, own: secrets, given })).toEqual({ ...given, ...forced })
})

test("[PT1] neither the terminal of the server shows through, nor a mark of a call", () => {
  const own = { COLUMNS: "20", LINES: "5", TMUX: "x", STY: "x" }
  const given = { HOLDFAST_CALL: "call_a", HOLDFAST_LAUNCHER: "call_a", HOLDFAST_GROUP: "/g" }
  expect(terminalEnvironment("pty_a", { own, given, overlay: given })).toEqual(forced)
})
