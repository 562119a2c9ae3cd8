/**
 * `holdfast wire replay`: a recording through its wire, both ways. Canonical events go to standard
 * output, one a line; whether the request comes back as it was read is told beside them.
 */
import { judgeBody } from "@holdfast/provider-sim"
import { replayRecording, type ReplayedExchange } from "@holdfast/sdk/wire-tools"
import { clip } from "../figures.ts"
import { printable, type Terminal } from "../terminal.ts"
import { exchangesOf, readTraffic } from "./traffic-file.ts"

export interface ReplayOptions {
  readonly json?: boolean
  readonly wire?: string
}

const valueCharactersMax = 200

export async function replayFile(terminal: Terminal, file: string, options: ReplayOptions): Promise<number> {
  const text = await readTraffic(terminal, file)
  const exchanges = exchangesOf(file, replayRecording(text, options.wire ?? null, Date.now(), judgeBody))
  exchanges.forEach((exchange, interaction) => {
    for (const event of exchange.events) terminal.write(`${JSON.stringify(event)}\n`)
    const { wire, url, readable, request } = exchange
    if (options.json === true) {
      terminal.write(`${JSON.stringify({ type: "replayed", interaction, wire, url, readable, request })}\n`)
    } else {
      for (const line of verdictLines(exchange)) terminal.complain(printable(`${interaction}: ${line}`))
    }
  })
  return exchanges.every(({ readable, request }) => readable && isReplayed(request)) ? 0 : 1
}

/** A request that was refused for what the simulator faults as well is one that we never send. */
const isReplayed = ({ kind }: ReplayedExchange["request"]): boolean => kind === "same" || kind === "refused"

function verdictLines({ wire, readable, request }: ReplayedExchange): readonly string[] {
  const answer = readable ? [] : ["the answer cannot be read to its end"]
  return [...answer, `${wire}: ${requestLine(request)}`]
}

function requestLine(request: ReplayedExchange["request"]): string {
  switch (request.kind) {
    case "same":
      return "the request is the same when it is read, encoded and read again"
    case "different": {
      const { path, expected, found } = request.difference
      return `the request differs at ${path === "" ? "its top" : path}: read as ${shown(expected)}, and as ${shown(found)} when it is encoded again`
    }
    case "illegal":
      return `the request is illegal when it is encoded again: ${request.faults.map(({ message }) => message).join("; ")}`
    case "refused":
      return `the provider refused the request, and so does the simulator: ${request.faults.map(({ message }) => message).join("; ")}`
    case "unread":
      return `the request holds what has no word in a canonical request: ${request.places.join(", ")}`
  }
}

const shown = (value: unknown): string =>
  value === undefined ? "nothing" : clip(JSON.stringify(value), valueCharactersMax)
