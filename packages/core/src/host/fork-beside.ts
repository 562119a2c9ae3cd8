/** Starts a program of ours in a process beside the runtime: Ctrl-C in its terminal does not reach it, and the channel is its lifeline. */
import { type ChildProcess, fork } from "node:child_process"
import { inheritedEnvironment } from "../tools/bash.ts"

export interface ForkedBeside {
  readonly child: ChildProcess
  /** The end of what it said to standard error. */
  readonly complaint: () => string
}

const complaintLengthMax = 500

export function forkBeside(entry: string): ForkedBeside {
  const child = fork(entry, [], {
    // Flags of the runtime, a debugger's port for one, are not its own.
    execArgv: [],
    env: { ...inheritedEnvironment(process.env), NODE_OPTIONS: "" },
    serialization: "advanced",
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  })
  let complaint = ""
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-complaintLengthMax)
  })
  return { child, complaint: () => complaint.trim() }
}
