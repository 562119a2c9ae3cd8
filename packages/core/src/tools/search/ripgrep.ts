/**
 * ripgrep: the program that walks and searches files for `grep` and `glob`.
 *
 * It comes with an optional package, which is looked for at the first search. It starts no process
 * of its own, so ending it ends all of a search. It sees nothing of the runtime's environment but the
 * mark of the call, by which recovery finds and ends it after a crash (DR4).
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Readable } from "node:stream"
import { Effect } from "effect"
import type { FilePattern } from "../../files/glob-pattern.ts"
import { repositoryFolders } from "../../files/ignore-files.ts"
import { callMark } from "../call-processes.ts"
import { ToolFailure } from "../tool.ts"
import type { SearchPlace } from "./search-place.ts"

export interface SearchRun {
  readonly callId: string
  readonly place: SearchPlace
  /** What to do, without the place. */
  readonly args: readonly string[]
  readonly timeoutMs: number
  /** Called with each piece of the output, in order; pieces are not kept. */
  readonly onOutput: (bytes: Buffer) => void
}

export interface SearchEnd {
  /** Null where the search was ended at its time limit. */
  readonly exitCode: number | null
  /** The beginning of what it complained about. */
  readonly complaint: string
  /** Files and directories that could not be read. */
  readonly unreadable: number
}

/** Finds the program; it throws where there is none for this machine. */
export type FindProgram = () => Promise<string>

export const findRipgrep: FindProgram = async () => (await import("@vscode/ripgrep")).rgPath

/** Which files are looked at; the same for every tool that walks a tree. */
export interface FileChoice {
  readonly ignored?: boolean | undefined
  readonly hidden?: boolean | undefined
}

export const searchTimeoutMs = 30_000

/** Only `.gitignore` counts, also outside of a repository, as for every other search of Holdfast. */
export const choiceArgs = ({ ignored = false, hidden = false }: FileChoice): readonly string[] => [
  "--no-config",
  "--color=never",
  "--no-require-git",
  "--no-ignore-dot",
  "--no-ignore-exclude",
  "--no-ignore-global",
  ...(ignored ? ["--no-ignore"] : []),
  ...(hidden ? ["--hidden", ...[...repositoryFolders].map((name) => `--glob=!${name}`)] : []),
]

/** Lets it pass over files by their names, after the ignore files had their say, which `--glob` would overrule. */
export const nameArgs = (pattern: FilePattern | null): readonly string[] =>
  pattern === null || pattern.names === null
    ? []
    : [...pattern.names.map((name) => `--type-add=chosen:${name}`), "--type=chosen"]

/** Whether a path that it found is wanted: a hidden file is found in any case if its name is. */
export function acceptsFile(
  pattern: FilePattern | null,
  { hidden = false }: FileChoice,
): (path: string) => boolean {
  const isShown = (path: string) => hidden || (!path.startsWith(".") && !path.includes("/."))
  return pattern === null ? isShown : (path) => pattern.fits(path) && isShown(path)
}

/** Runs a search to its end or its time limit; interruption ends it. */
export const runRipgrep = Effect.fnUntraced(function* (
  find: FindProgram,
  run: SearchRun,
): Effect.fn.Return<SearchEnd, ToolFailure> {
  const program = yield* Effect.tryPromise({ try: find, catch: unavailable })
  return yield* Effect.callback<SearchEnd, ToolFailure>((resume) => {
    const child = start(program, run)
    const complaints = collectComplaints(child.stderr as Readable)
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      child.kill("SIGKILL")
    }, run.timeoutMs)
    child.stdout?.on("data", run.onOutput)
    child.once("error", (error) => resume(Effect.fail(unavailable(error))))
    child.once("close", (exitCode) => {
      clearTimeout(timer)
      resume(Effect.succeed({ exitCode: timedOut ? null : (exitCode ?? 2), ...complaints() }))
    })
    return Effect.callback<void>((ended) => {
      clearTimeout(timer)
      if (child.exitCode !== null || child.signalCode !== null || !child.kill("SIGKILL")) ended(Effect.void)
      else child.once("exit", () => ended(Effect.void))
    })
  })
})

/** The search ended without looking at anything, for a reason that only ripgrep knows. */
export const searchFailed = ({ complaint }: SearchEnd): ToolFailure =>
  new ToolFailure({
    code: "search_failed",
    message: `The search failed: ${complaint.replace(/^rg: /, "").trim() || "ripgrep gave no reason."}`,
  })

function start(program: string, { args, callId, place }: SearchRun): ChildProcess {
  const { SystemRoot } = process.env
  return spawn(program, [...args, "--", place.kind === "file" ? "-" : "./"], {
    cwd: place.directory,
    env: { [callMark]: callId, ...(SystemRoot !== undefined && { SystemRoot }) },
    stdio: [place.kind === "file" ? place.fd : "ignore", "pipe", "pipe"],
    windowsHide: true,
  })
}

const complaintUnitsMax = 4_096

/** Of files it complains by their path, which begins where the search began. */
function collectComplaints(stderr: Readable): () => Pick<SearchEnd, "complaint" | "unreadable"> {
  let complaint = ""
  let unreadable = 0
  let unended = ""
  stderr.setEncoding("utf8").on("data", (piece: string) => {
    if (complaint.length < complaintUnitsMax) complaint += piece.slice(0, complaintUnitsMax)
    const lines = (unended + piece).split("\n")
    unended = (lines.pop() ?? "").slice(0, complaintUnitsMax)
    unreadable += lines.filter((line) => line.startsWith("rg: ./")).length
  })
  return () => ({ complaint, unreadable })
}

function unavailable(error: unknown): ToolFailure {
  const code = (error as NodeJS.ErrnoException | null)?.code
  const why = typeof code === "string" ? code : "there is no program for it"
  return new ToolFailure({
    code: "search_unavailable",
    message: `Files cannot be searched: the package @vscode/ripgrep does not load on this machine (${why}). Install it where Holdfast is installed (npm install @vscode/ripgrep), or find files with list and read.`,
  })
}
