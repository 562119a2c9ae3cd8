/** Who is at the other end of a connection: what a call has started is known, also without its mark. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { callMark } from "../../../src/tools/call-processes.ts"
import { callOfProcess } from "../../../src/tools/call-tree/call-of-process.ts"
import { runCommand } from "../../../src/tools/launcher.ts"
import { judgePeer } from "../../../src/tools/call-tree/peer.ts"

const callId = "call_peer"

/** Answers with what it makes of its caller. */
const server = createServer(({ socket: { localPort = 0, remotePort = 0, remoteAddress = "" } }, answer) => {
  judgePeer({ localPort, remotePort, remoteAddress }).then(
    (said) => answer.end(said ?? "taken"),
    (failure: unknown) => answer.end(String(failure)),
  )
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
afterAll(() => void server.close())

const urlOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

async function outputOf(command: string): Promise<string> {
  let output = ""
  const request = {
    command,
    directory: tmpdir(),
    env: { PATH: process.env["PATH"], [callMark]: callId, NODE: process.execPath, SERVER: urlOf() },
    callId,
    timeoutMs: 20_000,
    onOutput: (text: string) => void (output += text),
    containment: { kind: "mark" },
  } as const
  await Effect.runPromise(runCommand(request))
  return output
}

const fetching = `"$NODE" -e 'fetch(process.env.SERVER).then((answer) => answer.text()).then(console.log)'`
const refused = `The answer comes from the call ${callId} of a Session`

test.runIf(process.platform === "linux")(
  "[PE5] an answer from a call's own process tree is refused, also where its mark is taken off",
  async () => {
    expect(await outputOf(fetching)).toContain(refused)
    expect(
      await outputOf(`env -u ${callMark} sh -c '${fetching.replaceAll("'", String.raw`'\''`)}; true'`),
    ).toContain(refused)
    expect(await callOfProcess(process.pid)).toBeNull()
    expect(await (await fetch(urlOf())).text()).toBe("taken")
  },
)

test("[PE5] a caller that has left is not taken at its word, and one of another machine is not looked for", async () => {
  const nobody = { localPort: 1, remotePort: 1 }
  expect(await judgePeer(null)).toContain("The caller left")
  if (process.platform === "linux")
    expect(await judgePeer({ ...nobody, remoteAddress: "::ffff:127.0.0.1" })).toContain("The caller left")
  expect(await judgePeer({ ...nobody, remoteAddress: "192.0.2.1" })).toBeNull()
})
