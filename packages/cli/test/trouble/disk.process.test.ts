/** The command on disks that cannot be written, and on disks that are full when it starts. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beforeAll, describe, expect, test } from "vitest"
import { makeDirectedPlace, makePlace, type Place } from "../place.ts"

/** Gives a command mounts of its own, where the system allows that. */
const withOwnMounts = ["unshare", "-rm", "sh", "-c"]

function canMount(): boolean {
  if (process.platform !== "linux") return false
  try {
    const [command = "", ...args] = withOwnMounts
    execFileSync(command, [...args, "mount -t tmpfs -o size=64k none /mnt"], { stdio: "ignore" })
    return true
  } catch {
    return false // no such program, or no right to make name spaces
  }
}

let possible = false
beforeAll(() => {
  possible = canMount()
})

/** A command on the data directory of the place, once it has been made so by a script. */
const on = (place: Place, script: string) => ({
  through: [...withOwnMounts, `cd "$0/.." && ${script} && cd "$0" && exec "$@"`, place.project],
})

const readOnly = "mount --bind data data && mount -o remount,ro,bind data"
/** A disk of its own with the same files, and not a byte left. */
const full =
  "cp -a data kept.$$ && rm -f kept.$$/*-shm && mount -t tmpfs -o size=8m none data && cp -a kept.$$/. data && (cat /dev/zero > data/ballast || true) 2>/dev/null"

describe("a data directory", () => {
  test("[ST3 SU1] that cannot be written is no place for a server, and is said so", async ({ skip }) => {
    if (!possible) skip("nothing can be mounted here")
    await using place = await makePlace()
    expect((await place.run(["run", "Read README.md."])).code).toBe(0)
    const served = await place.run(["serve"], on(place, readOnly))
    expect([served.code, served.out]).toEqual([2, ""])
    expect(served.err).toContain("/data cannot be written (EROFS), and a server has to. Check its owner")
    const listed = await place.run(["sessions", "--json"], on(place, readOnly))
    expect([listed.code, listed.record()]).toMatchObject([0, { turns: 2 }])
  })

  test("[ST3 FA1] on a disk that is full at the start can be read, and what writes is told why it fails", async ({
    skip,
  }) => {
    if (!possible) skip("nothing can be mounted here")
    await using place = await makeDirectedPlace()
    expect((await place.call(["run", "Hello."])).code).toBe(0)
    // While somebody reads what was there before, nothing goes from the log into the database. A
    // log that has gone there gives its room to whoever comes next, and then the disk is not full.
    using reader = new DatabaseSync(join(place.root, "data/holdfast.db"), { readOnly: true })
    reader.exec("BEGIN; SELECT count(*) FROM sqlite_schema")
    const steps = [{ tools: [{ name: "bash", input: { command: "sleep 60" } }] }]
    const input = `@@SIM${JSON.stringify({ steps })}@@ ${"Much. ".repeat(5_000)}`
    const killed = place.start(["run", "--json", "--allow", "bash", "-"], { input })
    await killed.prints('"call.started"')
    killed.kill("SIGKILL")
    const session = /ses_[0-9a-z]{20}/.exec((await killed.ended).out)?.[0] ?? "none"
    // Each has a disk of its own, and most of their time they wait for room.
    const ended = ["sessions --json", "run hi", "serve"].map(async (line) => {
      const { code, out, err } = await place.run(line.split(" "), on(place, full))
      return { code, out, err }
    })
    const refused = {
      code: 1,
      out: "",
      err: expect.stringMatching(/^holdfast: The disk .*is full/) as string,
    }
    expect(await Promise.all(ended)).toEqual([
      { code: 0, out: expect.stringContaining(session) as string, err: "" },
      refused,
      refused,
    ])
  })

  test("[ST3 FA1] that is to be made on a full disk is told to be", async ({ skip }) => {
    if (!possible) skip("nothing can be mounted here")
    await using place = await makePlace()
    const nothing =
      "mkdir -p data && mount -t tmpfs -o size=64k none data && (cat /dev/zero > data/ballast || true) 2>/dev/null"
    for (const args of [["sessions"], ["run", "hi"], ["serve"]]) {
      const { code, err } = await place.run(args, on(place, nothing))
      expect([args, code, err]).toEqual([
        args,
        1,
        expect.stringMatching(/^holdfast: The disk .*is full/) as string,
      ])
    }
  })
})
