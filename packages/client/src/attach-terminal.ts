/**
 * A terminal over a WebSocket: output as it comes, input at once (PT1).
 *
 * It asks for a ticket with the token of the client and opens the WebSocket with it. It is opened once:
 * whoever wants to go on after a cut attaches again from the last `cursor`, and misses nothing; past
 * what the server keeps, the first item is then the screen. There is one reader.
 */
import { ClientError } from "./client-error.ts"
import type { HoldfastClient } from "./generated/holdfast-client.ts"
import type { PtyItem } from "./generated/records.ts"

type WithBytes<Item> = Item extends { readonly data: string }
  ? Omit<Item, "data"> & { readonly data: Uint8Array }
  : Item

/** As `ptys.attach` gives it, with bytes in place of base64. */
export type TerminalItem = WithBytes<PtyItem>

export interface AttachTerminalInput {
  /** Address of the server, the same as that of the client. */
  readonly baseUrl: string | URL
  readonly ptyID: string
  /** The `cursor` of an earlier attachment; without it the first item is the screen. */
  readonly from?: number
}

export interface AttachTerminalOptions {
  /** Ends it. */
  readonly signal?: AbortSignal
}

export interface AttachedTerminal extends AsyncIterable<TerminalItem> {
  /** Behind the last item that was read; null before the first. */
  readonly cursor: number | null
  readonly write: (input: string | Uint8Array<ArrayBuffer>) => void
  readonly resize: (columns: number, rows: number) => void
  /** Ends it; the terminal stays. */
  readonly close: () => void
}

/** Output that waits for a reader that does not read. */
const waitingBytesMax = 8 * 1_048_576

/** Resolves once it is open; rejects as `ptys.ticket` does, or with a ClientError. */
export async function attachTerminal(
  client: Pick<HoldfastClient, "ptys">,
  { baseUrl, ptyID, from }: AttachTerminalInput,
  { signal }: AttachTerminalOptions = {},
): Promise<AttachedTerminal> {
  if (globalThis.WebSocket === undefined)
    throw new ClientError(
      { kind: "transport" },
      "There is no WebSocket here. Use Node 22 or newer, or read the terminal with ptys.attach.",
    )
  const { ticket } = await client.ptys.ticket({ ptyID }, signal === undefined ? {} : { signal })
  const webSocket = new WebSocket(socketAddress(baseUrl, ptyID, ticket, from))
  webSocket.binaryType = "arraybuffer"
  const frames = new Frames(webSocket)
  await opened(webSocket, signal)
  const send = (data: string | Uint8Array<ArrayBuffer>) => {
    if (webSocket.readyState === webSocket.OPEN) webSocket.send(data)
  }
  return {
    get cursor() {
      return frames.cursor
    },
    write: (input) => send(typeof input === "string" ? new TextEncoder().encode(input) : input),
    resize: (columns, rows) => send(JSON.stringify({ type: "resize", columns, rows })),
    close: () => frames.close(),
    [Symbol.asyncIterator]: () => frames.items(),
  }
}

function socketAddress(baseUrl: string | URL, ptyID: string, ticket: string, from?: number): URL {
  const address = new URL(baseUrl)
  address.protocol = address.protocol.replace("http", "ws")
  // The server may have a path of its own.
  address.pathname = `${address.pathname.replace(/\/$/, "")}/api/pty/${encodeURIComponent(ptyID)}/socket`
  address.searchParams.set("ticket", ticket)
  if (from !== undefined) address.searchParams.set("from", String(from))
  return address
}

/** The signal ends it, open or not; it may outlive many terminals, and knows of one no longer than it is there. */
function opened(webSocket: WebSocket, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = () => reject(lost("The server did not open the terminal."))
    webSocket.addEventListener("open", () => resolve())
    webSocket.addEventListener("error", refused)
    webSocket.addEventListener("close", refused)
    const stop = () => {
      reject(lost("The call was aborted."))
      webSocket.close()
    }
    if (signal?.aborted === true) return stop()
    signal?.addEventListener("abort", stop, { once: true })
    webSocket.addEventListener("close", () => signal?.removeEventListener("abort", stop))
  })
}

const lost = (message: string): ClientError => new ClientError({ kind: "transport" }, message)

/** What came over the WebSocket, as items in their order. */
class Frames {
  cursor: number | null = null
  readonly #webSocket: WebSocket
  readonly #waiting: (string | ArrayBuffer)[] = []
  #waitingBytes = 0
  #screen: ScreenTold | null = null
  #closed: "by us" | "by the other" | null = null
  #wake = () => {}

  constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket
    webSocket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
      this.#waiting.push(data)
      this.#waitingBytes += typeof data === "string" ? data.length : data.byteLength
      if (this.#waitingBytes > waitingBytesMax) webSocket.close()
      this.#wake()
    })
    webSocket.addEventListener("close", () => {
      this.#closed ??= "by the other"
      this.#wake()
    })
  }

  close(): void {
    this.#closed ??= "by us"
    this.#webSocket.close()
    this.#wake()
  }

  async *items(): AsyncGenerator<TerminalItem, void, undefined> {
    try {
      for (;;) {
        if (this.#closed === "by us") return
        const frame = this.#waiting.shift()
        if (frame !== undefined) {
          const item = this.#itemOf(frame)
          if (item !== null) yield item
          if (item?.type === "exit" || item?.type === "cut-off") return
        } else if (this.#closed !== null) {
          throw lost("The connection to the terminal broke off. Attach again from its cursor.")
        } else {
          await new Promise<void>((resolve) => (this.#wake = resolve))
        }
      }
    } finally {
      this.close()
    }
  }

  /** Null for a frame that only says what the next one is. */
  #itemOf(frame: string | ArrayBuffer): TerminalItem | null {
    if (typeof frame !== "string") return this.#bytes(new Uint8Array(frame))
    this.#waitingBytes -= frame.length
    const told = parsed(frame)
    switch (told.type) {
      case "cursor":
        this.cursor = told.cursor
        return null
      case "screen":
        this.#screen = told
        return null
      default:
        return told
    }
  }

  #bytes(data: Uint8Array): TerminalItem {
    this.#waitingBytes -= data.length
    const screen = this.#screen
    this.#screen = null
    this.cursor = screen === null ? (this.cursor ?? 0) + data.length : screen.cursor
    return screen === null ? { type: "output", cursor: this.cursor, data } : { ...screen, data }
  }
}

type Told = Exclude<TerminalItem, { readonly data: Uint8Array }> | ScreenTold | CursorTold
type ScreenTold = Omit<Extract<TerminalItem, { readonly type: "screen" }>, "data">
type CursorTold = { readonly type: "cursor"; readonly cursor: number }

function parsed(frame: string): Told {
  try {
    return JSON.parse(frame) as Told
  } catch (cause) {
    throw new ClientError({ kind: "malformed" }, "A frame of the terminal is not JSON.", cause)
  }
}
