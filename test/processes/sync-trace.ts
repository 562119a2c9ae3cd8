/**
 * System calls of a real process: what it wrote where, and which syncs began and ended when.
 *
 * `strace` sees them from outside. Where tracing is not allowed, a library that is loaded before
 * libc writes the same lines from inside. Times are line numbers: the order in which the kernel,
 * or the library, was told.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { StartOptions } from "./place.ts"

export interface SystemCall {
  readonly name: string
  /** Path or pipe behind the descriptor. */
  readonly target: string
  readonly fd: number
  readonly data: Buffer
  readonly begun: number
  readonly ended: number
  readonly result: number
}

export interface Tracer {
  readonly name: string
  /** How a process is started so that its calls go to the file; null where that does not work. */
  readonly prepare: (folder: string, file: string) => StartOptions | null
}

const traced = "fsync,fdatasync,pwrite64,write,writev"

export const tracers: readonly Tracer[] = [
  {
    name: "strace",
    prepare: (_folder, file) => {
      const probe = spawnSync("strace", ["-o", file, "-e", "trace=write", "true"])
      if (probe.status !== 0) return null
      return { under: ["strace", "-f", "-yy", "-xx", "-s", "1000000", "-e", `trace=${traced}`, "-o", file] }
    },
  },
  {
    name: "a preloaded library",
    prepare: (folder, file) => {
      const library = join(folder, "preload.so")
      const source = join(import.meta.dirname, "preload.c")
      const built = spawnSync("gcc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"])
      return built.status === 0 ? { env: { LD_PRELOAD: library, HOLDFAST_SYNC_TRACE: file } } : null
    },
  },
]

export function readTrace(file: string): readonly SystemCall[] {
  // A signal's handler writes too, inside the call that it interrupts: the newest begun ends first.
  const open = new Map<string, Omit<SystemCall, "ended" | "result">[]>()
  const calls: SystemCall[] = []
  const lines = readFileSync(file, "latin1").split("\n")
  for (const [at, line] of lines.entries()) {
    const begun = /^(\d+) +(\w+)\((\d+)<(.*?)>(?:, (?:\[\{iov_base=)?"((?:\\x[0-9a-f]{2})*)")?/.exec(line)
    const result = / = (-?\d+)[^=]*$/.exec(line)
    if (begun !== null) {
      const [, pid = "", name = "", fd, encoded = ""] = begun
      const data = Buffer.from(allBytes(line).replaceAll("\\x", ""), "hex")
      const call = { name, fd: Number(fd), target: decoded(encoded), data, begun: at }
      if (line.includes("<unfinished ...>")) open.set(pid, [...(open.get(pid) ?? []), call])
      else if (result !== null) calls.push({ ...call, ended: at, result: Number(result[1]) })
      continue
    }
    const resumed = /^(\d+) +<\.\.\. \w+ resumed>/.exec(line)
    const call = result === null ? undefined : open.get(resumed?.[1] ?? "")?.pop()
    if (call === undefined || result === null) continue
    calls.push({ ...call, ended: at, result: Number(result[1]) })
  }
  return calls.sort((a, b) => a.begun - b.begun)
}

/** Every quoted string of the line: one of a write, several of a vector. */
const allBytes = (line: string): string =>
  [...line.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, bytes = ""]) => bytes).join("")

/** strace writes paths as it writes data. */
const decoded = (path: string): string =>
  path.replaceAll(/\\x([0-9a-f]{2})/g, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)))
