/** One pseudo-terminal that is held back: nothing of its output is lost. */
import { tmpdir } from "node:os"
import { spawn } from "@lydell/node-pty"
import type { PtyExit } from "@holdfast/schema/pty/pty"
import { expect, test } from "vitest"
import type { StartTerminal } from "../../src/pty/messages.ts"
import { findTree } from "../../src/pty/process-tree.ts"
import { PseudoTerminal } from "../../src/pty/pseudo-terminal.ts"
import { until } from "../tools/workspace.ts"

/** Twice what node-pty waits after the end of a program before it lets go of the output. */
const graceMs = 400

function open(command: string) {
  const id = `pty_${process.pid}${Math.floor(Math.random() * 1e9)}`
  const request: StartTerminal = {
    kind: "start",
    id,
    argv: ["/bin/sh", "-c", command],
    directory: tmpdir(),
    environment: { PATH: process.env["PATH"] ?? "", TERM: "xterm", HOLDFAST_TERMINAL: id },
    columns: 80,
    rows: 24,
    group: null,
  }
  const pieces: Uint8Array[] = []
  const { promise: exited, resolve } = Promise.withResolvers<PtyExit>()
  const terminal = new PseudoTerminal(spawn, request, {
    onOutput: (bytes) => pieces.push(bytes),
    onTaken: () => {},
    onExit: resolve,
  })
  return { id, terminal, exited, text: () => Buffer.concat(pieces).toString() }
}

test("[PT1] a program that ends while it is held has all of its output told before its exit", async () => {
  const { id, terminal, exited, text } = open("echo one; echo two; exit 3")
  terminal.hold()
  const root = { id, leader: null, group: null }
  await until("it has ended", 10_000, async () => (await findTree(root)).length === 0)
  const grace = new Promise((resolve) => setTimeout(resolve, graceMs, "still held"))
  expect(await Promise.race([exited, grace])).toBe("still held")
  terminal.release()
  expect(await exited).toEqual({ code: 3, signal: null })
  expect(text()).toBe("one\r\ntwo\r\n")
})

test("[PT1] a background process that keeps the terminal does not keep the exit", async () => {
  const { terminal, exited, text } = open("echo one; (trap '' HUP; sleep 20) & exit 0")
  expect(await exited).toEqual({ code: 0, signal: null })
  expect(text()).toBe("one\r\n")
  process.kill(-terminal.pid, "SIGKILL")
})
