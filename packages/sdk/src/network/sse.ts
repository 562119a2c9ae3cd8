/** Server-sent events, parsed from bytes that may be cut anywhere. */

export interface SseFrame {
  readonly id: string | null
  readonly event: string
  readonly data: string
}

export interface SseParser {
  /** Frames that these bytes complete. What is not yet complete is kept, and lost with the stream. */
  readonly push: (bytes: Uint8Array) => readonly SseFrame[]
}

export function makeSseParser(): SseParser {
  const decoder = new TextDecoder()
  let rest = ""
  let id: string | null = null
  let event = ""
  let data: string[] = []

  const take = (line: string, found: SseFrame[]) => {
    if (line === "") {
      if (data.length > 0) found.push({ id, event: event === "" ? "message" : event, data: data.join("\n") })
      id = null
      event = ""
      data = []
      return
    }
    const colon = line.indexOf(":")
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (field === "data") data.push(value)
    else if (field === "event") event = value
    else if (field === "id") id = value
  }

  return {
    push: (bytes) => {
      const found: SseFrame[] = []
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) take(line.endsWith("\r") ? line.slice(0, -1) : line, found)
      return found
    },
  }
}
