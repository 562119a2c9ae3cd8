/**
 * Requests that never reach the front door, because their head is too long, they take too long, or they
 * are no HTTP: each is told in the form of every other failure, and its connection ends.
 *
 * node:http would answer them without a body.
 */
import type { Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { Schema } from "effect"
import {
  failureStatus,
  RequestHeadTooLarge,
  RequestTimedOut,
  type RequestTooLarge,
  TransportFailure,
} from "@holdfast/protocol/error"
import { InvalidRequest } from "@holdfast/schema/error"
import { bodyBytesMax, tooLarge } from "./body-limit.ts"
import { rawAnswer } from "./raw-answer.ts"

export interface ReadingLimits {
  readonly headersBytesMax: number
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
}

/** How long a caller may still send what nobody reads; cut at once, it might not see the answer. */
const lingerMs = 1_000

export function answerUnreadable(server: Server, limits: ReadingLimits): void {
  const answers = new WeakMap<Duplex, ServerResponse>()
  server.on("request", ({ socket }, outgoing) => answers.set(socket, outgoing))
  server.on("clientError", (fault: NodeJS.ErrnoException, socket) => {
    if (socket.writableEnded) return
    const under = answers.get(socket)
    const isHalfSent = under !== undefined && under.headersSent && !under.writableFinished
    if (!socket.writable || isHalfSent) return void socket.destroy()
    const failure = failureOf(fault.code, limits)
    socket.end(rawAnswer(failureStatus[failure._tag], encode(failure)))
    const cut = setTimeout(() => socket.destroy(), lingerMs)
    socket.once("end", () => socket.destroy())
    socket.once("close", () => clearTimeout(cut))
  })
}

type ReadingFailure = RequestHeadTooLarge | RequestTimedOut | RequestTooLarge | InvalidRequest

function failureOf(code: string | undefined, limits: ReadingLimits): ReadingFailure {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new RequestHeadTooLarge({
        bytesMax: limits.headersBytesMax,
        message: `The address and the headers of a request hold at most ${limits.headersBytesMax} bytes. Send less in them.`,
      })
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return tooLarge(bodyBytesMax)
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new RequestTimedOut({
        message: `The request was not there in time. Send its headers within ${limits.headersTimeoutMs} milliseconds and all of it within ${limits.requestTimeoutMs}.`,
      })
    default:
      return new InvalidRequest({
        part: "headers",
        message: "This is no request that can be read. Send HTTP/1.1.",
      })
  }
}

const encode = Schema.encodeSync(TransportFailure)
