/** Lies about terminals: their output, their screens, who is let in, and what they inherit. */
import { type Mutant, tests } from "./mutant.ts"

const attachment = tests("packages/core/test/pty/attachment.test.ts")
const buffer = tests("packages/core/test/pty/output-buffer.test.ts")
const environment = tests("packages/core/test/pty/environment.test.ts")
const held = tests("packages/core/test/pty/pseudo-terminal.process.test.ts")
const screen = tests("packages/core/test/pty/screen.test.ts")
const socket = tests("packages/server/test/terminals/socket.test.ts")
const tickets = tests("packages/server/test/terminals/tickets.test.ts")
const upgrade = tests("packages/server/test/terminals/upgrade.test.ts")

export const terminalMutants: readonly Mutant[] = [
  {
    name: "a signal that remembers every terminal",
    rules: ["PT1"],
    file: "packages/client/src/attach-terminal.ts",
    find: '    webSocket.addEventListener("close", () => signal?.removeEventListener("abort", stop))\n',
    replace: "",
    run: socket,
  },
  {
    name: "a terminal in a directory that nobody opened",
    rules: ["PT1"],
    file: "packages/core/src/caller/locations.ts",
    find: "(yield* isOwn(place)) || (yield* known.knownLocation(place)) !== null",
    replace: "place !== directory || (yield* known.knownLocation(place)) !== null",
    run: tests("packages/server/test/groups/locations.test.ts"),
  },
  {
    name: "a cursor that counts what is kept",
    rules: ["PT1"],
    file: "packages/core/src/pty/output-buffer.ts",
    find: "this.#place(this.#end + bytes.length - kept.length, kept)",
    replace: "this.#place(this.#end, kept)",
    run: buffer,
  },
  {
    name: "a slow reader that gets what took the place of its output",
    rules: ["PT1"],
    file: "packages/core/src/pty/attachment.ts",
    find: "if (at < output.start) return",
    replace: "if (at < 0) return",
    run: attachment,
  },
  {
    name: "an exit before the last output",
    rules: ["PT1"],
    file: "packages/core/src/pty/attachment.ts",
    find: "if (at < output.end) {",
    replace: "if (at < output.end && terminal.exit === null) {",
    run: attachment,
  },
  {
    name: "a terminal that is closed while its output is held",
    rules: ["PT1"],
    file: "packages/core/src/pty/pseudo-terminal.ts",
    find: "if (this.#held) this.#closeWaits = true",
    replace: "if (this.#closeWaits) this.#closeWaits = true",
    run: held,
  },
  {
    name: "a screen that forgets half a sequence",
    rules: ["PT1"],
    file: "packages/core/src/pty/screen.ts",
    find: "this.#parsed - this.#unfinished.length",
    replace: "this.#parsed",
    run: screen,
  },
  {
    name: "a screen that shows a hidden cursor",
    rules: ["PT1"],
    file: "packages/core/src/pty/screen.ts",
    find: "if (mode === showCursor) this.#cursorShows = isOn",
    replace: "if (mode === showCursor) this.#cursorShows = true",
    run: screen,
  },
  {
    name: "a caller that wins over its host",
    rules: ["PT1"],
    file: "packages/core/src/pty/environment.ts",
    find: "...layers.given, ...layers.overlay }",
    replace: "...layers.overlay, ...layers.given }",
    run: environment,
  },
  {
    name: "a ticket that lets in twice",
    rules: ["PT1", "AU1"],
    file: "packages/server/src/terminals/tickets.ts",
    find: "    this.#issued.delete(key)\n",
    replace: "",
    run: tickets,
  },
  {
    name: "a ticket for any Origin",
    rules: ["PT1", "AU1"],
    file: "packages/server/src/terminals/tickets.ts",
    find: "issued.ptyID === ptyID && issued.origin === origin",
    replace: "issued.ptyID === ptyID",
    run: tickets,
  },
  {
    name: "a WebSocket from anywhere",
    rules: ["AU1"],
    file: "packages/server/src/terminals/upgrade.ts",
    find: "  if (refused !== null) return refused\n",
    replace: "",
    run: upgrade,
  },
  {
    name: "a caller that is gone and stays",
    rules: ["PT1"],
    file: "packages/server/src/terminals/socket.ts",
    find: "    isAnswered = false\n    webSocket.ping()",
    replace: "    webSocket.ping()",
    run: socket,
  },
  {
    name: "output that counts as waiting when it was read",
    rules: ["PT1"],
    file: "packages/client/src/attach-terminal.ts",
    find: "    this.#waitingBytes -= data.length\n",
    replace: "",
    run: socket,
  },
]
