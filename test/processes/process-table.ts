/**
 * The process table, seen from outside: what the tools of a place have running.
 *
 * A process belongs to a tool of a place if it has the home of that place and the mark of a call
 * or of a launcher in its environment, or if its command line names the place. The second way
 * finds what has lost its environment. The command itself has neither.
 */
import { readdirSync, readFileSync } from "node:fs"

export interface ToolProcess {
  readonly pid: number
  readonly command: string
}

/** Live tool processes whose environment holds `entry` or whose command line holds `text`. */
export function toolProcesses(entry: string, text: string): readonly ToolProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({
      pid: Number(name),
      command: readProc(name, "cmdline").replaceAll("\0", " ").trim(),
      environment: readProc(name, "environ").split("\0"),
    }))
    .filter(({ command, environment }) => {
      const marked = environment.some((each) => /^HOLDFAST_(CALL|LAUNCHER)=/.test(each))
      return (marked && environment.includes(entry)) || (shell.test(command) && command.includes(text))
    })
    .map(({ pid, command }) => ({ pid, command }))
}

/** What a tool may run: not the command, whose arguments name the place as well. */
const shell = /^(\S*\/)?(bash|sh|sleep|cat) /

/** Empty for a process that has ended, and for one that only waits to be collected. */
function readProc(pid: string, file: "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    // It ended meanwhile, or belongs to somebody else.
    return ""
  }
}
