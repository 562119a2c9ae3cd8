/**
 * A terminal over a WebSocket (PT1).
 *
 *   to the caller    binary: output   text: JSON, by `type`
 *     cursor   where the output that follows begins     screen   the next binary frame is the screen
 *     resized  the terminal has another size            exit     the last frame; then 1000
 *     cut-off  the reader was too slow; then 1013
 *   from the caller  binary: input    text: { "type": "resize", "columns", "rows" }
 *
 * A frame is taken from the terminal when the one before has left, so that a slow caller falls behind
 * in the buffer of the terminal and nowhere else. Whoever does not answer a ping is gone.
 */
import type { RawData, WebSocket } from "ws"
import { Effect, Schema } from "effect"
import type { Attachment } from "@holdfast/core/pty/attachment"
import type { Terminals } from "@holdfast/core/pty/terminals"
import type { PtyItem } from "@holdfast/schema/pty/item"
import { Columns, Rows } from "@holdfast/schema/pty/pty"
import { heartbeatMs } from "../event-stream.ts"

type Frame = string | Uint8Array

/** Codes of the WebSocket protocol. */
const done = 1_000
const goingAway = 1_001
const refusedMessage = 1_008
const tryAgain = 1_013

/** How long a caller may take to agree to the end. */
const closeMaxMs = 1_000

/** Ends when the terminal does, the caller, or the server. */
export async function speakTo(
  webSocket: WebSocket,
  ptys: Terminals,
  ptyID: string,
  attachment: Attachment,
  closing: AbortSignal,
): Promise<void> {
  const end = (code: number, reason: string) => {
    attachment.leave()
    webSocket.close(code, reason)
    setTimeout(() => webSocket.terminate(), closeMaxMs).unref()
  }
  const leave = () => end(goingAway, "The server closes.")
  closing.addEventListener("abort", leave)
  webSocket.once("close", () => {
    attachment.leave()
    closing.removeEventListener("abort", leave)
  })
  webSocket.on("error", () => webSocket.terminate())
  webSocket.on("message", (data, isBinary) => {
    const judged = Effect.catch(take(ptys, ptyID, bytesOf(data), isBinary), (failure) =>
      Effect.sync(() => {
        // Its exit is on the way; what is typed meanwhile is lost, as in any terminal.
        if (failure._tag === "PtyEnded" || failure._tag === "PtyNotFound") return
        end(refusedMessage, reasonOf(failure))
      }),
    )
    void Effect.runPromise(judged)
  })
  if (closing.aborted) return leave()
  const sound = watchPongs(webSocket)
  if (attachment.cursor !== null) await send(webSocket, told("cursor", { cursor: attachment.cursor }))
  for (
    let item = await attachment.next(heartbeatMs);
    item !== null;
    item = await attachment.next(heartbeatMs)
  ) {
    if (item === "quiet") {
      if (!sound()) return webSocket.terminate()
      continue
    }
    for (const frame of framesOf(item)) await send(webSocket, frame)
    if (item.type === "exit") return end(done, "The program has ended.")
    if (item.type === "cut-off") return end(tryAgain, item.reason.code)
  }
}

export function framesOf(item: PtyItem): readonly Frame[] {
  switch (item.type) {
    case "output":
      return [item.data]
    case "screen": {
      const { type, data, ...screen } = item
      return [told(type, screen), data]
    }
    default: {
      const { type, ...rest } = item
      return [told(type, rest)]
    }
  }
}

const take = Effect.fnUntraced(function* (ptys: Terminals, ptyID: string, bytes: Buffer, isInput: boolean) {
  if (isInput) yield* ptys.write(ptyID, bytes)
  else yield* ptys.resize(ptyID, yield* decodeControl(bytes.toString()))
})

const told = (type: string, fields: object): string => JSON.stringify({ type, ...fields })

const decodeControl = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ type: Schema.Literal("resize"), columns: Columns, rows: Rows })),
)

/** A close frame holds 123 bytes. */
const reasonOf = ({ message }: { readonly message: string }): string =>
  message.replaceAll(/[^\x20-\x7e]+/g, " ").slice(0, 120)

/** A failed sending is followed by the end of the WebSocket, which is seen there. */
const send = (webSocket: WebSocket, frame: Frame): Promise<void> =>
  new Promise((resolve) => webSocket.send(frame, () => resolve()))

/** Each call sends a ping; false where the last one was not answered. */
function watchPongs(webSocket: WebSocket): () => boolean {
  let isAnswered = true
  webSocket.on("pong", () => {
    isAnswered = true
  })
  return () => {
    if (!isAnswered) return false
    isAnswered = false
    webSocket.ping()
    return true
  }
}

const bytesOf = (data: RawData): Buffer =>
  Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? Buffer.from(data) : data
