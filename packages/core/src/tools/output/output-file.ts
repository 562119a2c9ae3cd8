/**
 * Output file: the writer of one Managed Tool Output File (TO3).
 *
 * It takes text while a tool runs and holds no more of it than the disk has not yet taken; whoever
 * writes fast waits for `caughtUp`. Writing never fails: what went wrong is told at the end (TO4). The
 * end comes in less than the five seconds that an interrupt may take (DR3), also from a disk that does
 * not answer.
 */
import { type FileHandle, open, rm } from "node:fs/promises"

export interface OutputFile {
  readonly path: string
  readonly write: (text: string) => void
  /** Settles when the disk has taken what waits; null while that is little. */
  readonly caughtUp: () => Promise<unknown> | null
  /** Nothing can be written afterwards. A repeat gives the same answer. */
  readonly end: () => Promise<OutputFileEnd>
  /** Ends it and takes it away. */
  readonly discard: () => Promise<void>
}

export type OutputFileEnd =
  /** `whole` is false where the text went beyond the cap: then the file holds its beginning. */
  | { readonly kind: "stored"; readonly bytes: number; readonly whole: boolean }
  | { readonly kind: "failed"; readonly cause: string }

/** More than this of one output is not kept. */
export const fileBytesMax = 268_435_456
const waitingBytesMax = 1_048_576
const pieceUnits = 262_144
const endMaxMs = 4_000

export function createOutputFile(path: string, bytesMax: number = fileBytesMax): OutputFile {
  const opened = open(path, "wx", 0o600)
  let cause: string | null = null
  let waiting = 0
  let bytes = 0
  let whole = true
  let ended: Promise<OutputFileEnd> | null = null

  const attempt = async (use: (file: FileHandle) => Promise<unknown>) => {
    if (cause !== null) return
    try {
      await use(await opened)
    } catch (error) {
      cause = (error as NodeJS.ErrnoException).code ?? String(error)
    }
  }
  let last = attempt(async () => {})
  const then = (use: (file: FileHandle) => Promise<unknown>) => {
    last = last.then(() => attempt(use))
    return last
  }

  const writePiece = (piece: string) => {
    const size = Buffer.byteLength(piece)
    whole &&= bytes + size <= bytesMax
    if (!whole || cause !== null) return
    bytes += size
    waiting += size
    void then((file) => file.appendFile(piece)).then(() => (waiting -= size))
  }

  const finish = async (): Promise<OutputFileEnd> => {
    void then((file) => file.close())
    if (!(await within(last, endMaxMs))) cause ??= "the disk did not answer in time"
    if (cause === null) return { kind: "stored", bytes, whole }
    void last.then(() => rm(path, { force: true })).catch(() => {}) // swept later, if it is there at all
    return { kind: "failed", cause }
  }
  const end = () => (ended ??= finish())

  return {
    path,
    write: (text) => {
      for (const piece of piecesOf(text)) writePiece(piece)
    },
    caughtUp: () => (waiting <= waitingBytesMax ? null : last),
    end,
    discard: async () => {
      await end()
      await rm(path, { force: true }).catch(() => {}) // swept later
    },
  }
}

/** Pieces that split no code point, so that a long text is not encoded as a whole. */
function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const cut = from + pieceUnits
    const unit = text.charCodeAt(cut - 1)
    const to = cut < text.length && unit >= 0xd800 && unit <= 0xdbff ? cut - 1 : cut
    yield text.slice(from, to)
    from = to
  }
}

async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([promise.then(() => true), tooLate])
  } finally {
    clearTimeout(timer)
  }
}
