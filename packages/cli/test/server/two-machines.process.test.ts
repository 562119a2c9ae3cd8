/** A server and a client on two machines: name spaces of the network with a cable between them. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { expect, test } from "vitest"
import { makePlace } from "../place.ts"

/** Prints the process that stands for each machine, then waits for the end of its input. */
const cable = `
  set -e
  ip link set lo up
  unshare -n sleep 600 &
  far=$!
  trap 'kill $far' EXIT
  until test "$(readlink /proc/$far/ns/net)" != "$(readlink /proc/self/ns/net)"; do :; done
  ip link add near type veth peer name far netns $far
  ip addr add 10.77.0.1/24 dev near
  ip link set near up
  nsenter -t $far -n ip addr add 10.77.0.2/24 dev far
  nsenter -t $far -n ip link set far up
  echo "$$ $far"
  cat`

interface Machines extends AsyncDisposable {
  /** Starts a command on the machine of the server, or on the other. */
  readonly near: readonly string[]
  readonly far: readonly string[]
}

async function makeMachines(): Promise<Machines | null> {
  if (process.platform !== "linux") return null
  const child = spawn("unshare", ["-rn", "sh", "-c", cable], { stdio: ["pipe", "pipe", "ignore"] })
  const ended = once(child, "close").catch(() => []) // no such program
  const printed = once(createInterface({ input: child.stdout }), "line") as Promise<[string]>
  const line = await Promise.race([printed.then(([text]) => text), ended.then(() => null)])
  if (line === null) return null
  const [near = "", far = ""] = line.split(" ")
  const enter = (pid: string) => ["nsenter", "-t", pid, "-U", "-n", "--preserve-credentials"]
  return {
    near: enter(near),
    far: enter(far),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end()
      await ended
    },
  }
}

test.for([
  ["all addresses", "0.0.0.0"],
  ["the address of the cable", "10.77.0.1"],
] as const)(
  "[AU1] a second machine works with a server on %s, by its names and with the token alone",
  async ([, host], { skip }) => {
    await using machines = await makeMachines()
    if (machines === null) return skip("no name spaces of the network can be made here")
    await using place = await makePlace()
    const names = ["--allowed-host", "box.example", "--allowed-host", "10.77.0.1"]
    const server = place.start(["serve", "--json", "--host", host, ...names], { through: machines.near })
    await server.prints("}\n")
    const { addresses } = JSON.parse(server.printed()) as { readonly addresses: readonly string[] }
    const [named = "", url = ""] = addresses
    expect(addresses).toEqual([
      expect.stringMatching(/^http:\/\/box\.example:\d+$/) as string,
      expect.stringMatching(/^http:\/\/10\.77\.0\.1:\d+$/) as string,
    ])
    const token = readFileSync(join(place.root, "data/server.token"), "utf8").trim()
    const { host: byName } = new URL(named)
    const asked = { url, token, names: [byName, "box.example", "evil.example"] }
    const client = await place.run([JSON.stringify(asked)], {
      program: join(import.meta.dirname, "second-machine.ts"),
      through: machines.far,
    })
    expect([client.err, client.record()]).toEqual([
      "",
      {
        statuses: { "": 401, [byName]: 200, "box.example": 200, "evil.example": 403 },
        status: "done",
        text: expect.stringContaining("Greeter") as string,
      },
    ])
    // Commands on its own machine find it too, and doctor is content.
    const doctor = await place.run(["doctor"], { through: machines.near })
    expect(doctor.out).toMatch(/✓ http:\/\/[\d.]+:\d+ answers/)
    const listed = await place.run(["run", "--json", "Read README.md."], { through: machines.near })
    expect(listed.code).toBe(0)
    server.kill("SIGINT")
    await server.ended
  },
)
