import { describe, expect, test } from "vitest"
import type { ProcessFacts, ProcessStart } from "../../src/host/process-identity.ts"
import { groupFolder, isAbandoned, isGroupOfCall } from "../../src/tools/control-groups.ts"

const mount = (root: string, point: string, kind = "cgroup2") =>
  `41 31 0:38 ${root} ${point} rw,nosuid shared:9 - ${kind} cgroup2 rw,nsdelegate\n`

describe("the folder of the own group", () => {
  const user = "/user.slice/user-1000.slice/user@1000.service/app.slice/run.scope"

  test.for([
    {
      name: "all groups of the machine",
      groups: `0::${user}\n`,
      mounts: mount("/", "/sys/fs/cgroup"),
      folder: `/sys/fs/cgroup${user}`,
    },
    { name: "the root", groups: "0::/\n", mounts: mount("/", "/sys/fs/cgroup"), folder: "/sys/fs/cgroup" },
    {
      name: "both versions",
      groups: "4:memory:/a\n0::/b\n",
      mounts: mount("/", "/sys/fs/cgroup/memory", "cgroup") + mount("/", "/sys/fs/cgroup/unified"),
      folder: "/sys/fs/cgroup/unified/b",
    },
    {
      name: "a mount of one part",
      groups: "0::/docker/1/inner\n",
      mounts: mount("/docker/1", "/sys/fs/cgroup"),
      folder: "/sys/fs/cgroup/inner",
    },
    {
      name: "a mount of exactly the own one",
      groups: "0::/docker/1\n",
      mounts: mount("/docker/1", "/sys/fs/cgroup"),
      folder: "/sys/fs/cgroup",
    },
    {
      name: "a mount with a blank in its path",
      groups: "0::/a\n",
      mounts: mount("/", String.raw`/mnt/c\040g`),
      folder: "/mnt/c g/a",
    },
    {
      name: "a mount of another part",
      groups: "0::/docker/12\n",
      mounts: mount("/docker/1", "/sys/fs/cgroup"),
      folder: null,
    },
    {
      name: "a group outside the namespace",
      groups: "0::/../other\n",
      mounts: mount("/", "/sys/fs/cgroup"),
      folder: null,
    },
    {
      name: "version 1 alone",
      groups: "4:memory:/a\n",
      mounts: mount("/", "/sys/fs/cgroup/memory", "cgroup"),
      folder: null,
    },
    { name: "no mount", groups: "0::/a\n", mounts: "", folder: null },
  ])("[TL3] is found with $name", ({ groups, mounts, folder }) => {
    expect(groupFolder(groups, mounts)).toBe(folder)
  })
})

describe("a group that was left behind", () => {
  const facts = (start: ProcessStart): ProcessFacts => ({
    pid: 1,
    boot: "b",
    space: "pid:[4026531836]",
    startOf: () => start,
  })
  const name = "holdfast-4026531836-77-500-call-1"

  test.for([
    { name, start: { kind: "gone" } as const, abandoned: true },
    { name, start: { kind: "started", at: "501" } as const, abandoned: true },
    { name, start: { kind: "started", at: "500" } as const, abandoned: false },
    { name, start: { kind: "hidden" } as const, abandoned: false },
    { name: "holdfast-4026531837-77-500-call-1", start: { kind: "gone" } as const, abandoned: false },
    { name: "holdfast.service", start: { kind: "gone" } as const, abandoned: false },
    { name: "other-4026531836-77-500-call-1", start: { kind: "gone" } as const, abandoned: false },
  ])("[DR4] is told from others: $name, $start", ({ name: folder, start, abandoned }) => {
    expect(isAbandoned(folder, facts(start))).toBe(abandoned)
  })

  test("[DR4] is found by exactly the call named", () => {
    expect(isGroupOfCall(`/sys/fs/cgroup/${name}`, "call-1")).toBe(true)
    for (const other of ["call", "call-11", "1", ""]) expect(isGroupOfCall(`/x/${name}`, other)).toBe(false)
  })
})
