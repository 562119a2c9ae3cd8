/**
 * The door for WebSockets (PT1, AU1): `/api/pty/:ptyID/socket?ticket=…&from=…`.
 *
 *   no ticket ─▶ 401   foreign Host or Origin ─▶ 403   ticket used, late or another's ─▶ 401
 *   no such terminal ─▶ 404   else ─▶ 101
 *
 * The order is that of the front door for requests, but that nothing at all is looked at without a
 * ticket. A refusal is an HTTP answer with the same body that a request would get.
 */
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { WebSocket } from "ws"
import { Cause, Effect, Exit, Schema } from "effect"
import {
  CallerRefused,
  failureStatus,
  InternalFailure,
  InvalidId,
  PtyNotFound,
  Unauthorized,
} from "@holdfast/protocol/error"
import { InvalidRequest } from "@holdfast/schema/error"
import type { HostedRuntime } from "../hosted-runtime.ts"
import { type CallerPolicy, judgeAddress } from "../caller.ts"
import type { Defect } from "../front-door.ts"
import { rawAnswer } from "../raw-answer.ts"
import { speakTo } from "./socket.ts"
import type { Tickets } from "./tickets.ts"

/** Takes the connection of a request that asks for a WebSocket. */
export type UpgradeHandler = (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void

export interface UpgradeSettings {
  readonly policy: CallerPolicy
  readonly tickets: Tickets
  /** Aborted when the server closes. */
  readonly closing: AbortSignal
  readonly onDefect: (defect: Defect) => void
}

/** Of one frame that a caller sends. */
const messageBytesMax = 1_048_576

const socketPath = /^\/api\/pty\/([^/?]+)\/socket(?:\?|$)/

/** Whether a WebSocket is asked for where there is one; anything else is a request. */
export const isSocketRequest = ({ url = "", headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === "websocket" && socketPath.test(url)

export interface Admitted {
  readonly ptyID: string
  readonly from: number | null
}

/** Who asks for what, or why it is refused. Looking at a ticket uses it up. */
export function judgeUpgrade(
  { url = "", headers }: Pick<IncomingMessage, "url" | "headers">,
  { policy, tickets }: Pick<UpgradeSettings, "policy" | "tickets">,
): Admitted | Refusal {
  const query = new URL(url, "http://host.invalid").searchParams
  const ticket = query.get("ticket")
  if (ticket === null || ticket === "") return noTicket()
  const origin = headers.origin ?? null
  const refused = judgeAddress({ host: headers.host ?? null, origin }, policy)
  if (refused !== null) return refused
  const ptyID = decoded(socketPath.exec(url)?.[1] ?? "")
  if (!tickets.redeem(ticket, { ptyID, origin })) return noTicket()
  const from = query.get("from")
  if (from !== null && !/^[0-9]{1,15}$/.test(from))
    return new InvalidRequest({ part: "query", message: 'The field "from" must be a whole number.' })
  return { ptyID, from: from === null ? null : Number(from) }
}

export const upgradeHandler =
  (runtime: HostedRuntime, settings: UpgradeSettings): UpgradeHandler =>
  (incoming, socket, head) => {
    // The caller may go at any moment; there is nobody left to tell.
    socket.on("error", () => {})
    const judged = judgeUpgrade(incoming, settings)
    if ("_tag" in judged) return refuse(socket, judged)
    admit(runtime, settings, judged, incoming, socket, head).catch((error: unknown) => {
      // A defect of ours: the operator is told, and the caller is cut.
      settings.onDefect({ ref: randomUUID(), detail: `${incoming.url}\n${String(error)}` })
      socket.destroy()
    })
  }

async function admit(
  runtime: HostedRuntime,
  { closing }: UpgradeSettings,
  { ptyID, from }: Admitted,
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const attached = await Effect.runPromiseExit(runtime.ptys.attach(ptyID, from))
  if (Exit.isFailure(attached)) return refuse(socket, Cause.squash(attached.cause) as Refusal)
  // Loaded with the first one: most servers never need it.
  const { WebSocketServer } = await import("ws")
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: messageBytesMax,
    perMessageDeflate: false,
  })
  // What is no WebSocket after all is answered by the library, with 400.
  socket.once("close", attached.value.leave)
  const webSocket = await new Promise<WebSocket>((resolve) =>
    server.handleUpgrade(incoming, socket, head, resolve),
  )
  await speakTo(webSocket, runtime.ptys, ptyID, attached.value, closing)
}

const Refusal = Schema.Union([
  Unauthorized,
  CallerRefused,
  InvalidRequest,
  InvalidId,
  PtyNotFound,
  InternalFailure,
])
type Refusal = typeof Refusal.Type

const encodeRefusal = Schema.encodeSync(Refusal)

function refuse(socket: Duplex, refusal: Refusal): void {
  const status = failureStatus[refusal._tag]
  socket.end(rawAnswer(status, encodeRefusal(refusal)))
}

const noTicket = (): Unauthorized =>
  new Unauthorized({
    message: "A fresh ticket is required. Make one with ptys.ticket and send it as `?ticket=…`.",
  })

/** A path that is no text is that of no terminal. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
