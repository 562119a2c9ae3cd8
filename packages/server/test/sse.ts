/** Server-sent events read as a foreign client would: one frame at a time, by hand. */

interface Frame {
  /** Lines that begin with a colon. */
  readonly comment: string | null
  readonly id: string | null
  readonly event: string | null
  // Tests read answers as a foreign client would: without types.
  readonly data: any
}

export interface Frames {
  readonly next: () => Promise<Frame | null>
  readonly cancel: () => Promise<void>
}

export function readFrames(body: ReadableStream<Uint8Array>): Frames {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  return {
    next: async () => {
      for (;;) {
        const end = text.indexOf("\n\n")
        if (end >= 0) {
          const frame = parse(text.slice(0, end))
          text = text.slice(end + 2)
          return frame
        }
        const { done, value } = await reader.read()
        if (done) return null
        text += decoder.decode(value, { stream: true })
      }
    },
    cancel: () => reader.cancel(),
  }
}

function parse(text: string): Frame {
  const field = (name: string): string | null =>
    text
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? null
  const data = field("data")
  const comment = text.startsWith(":") ? text.slice(1).trim() : null
  return { comment, id: field("id"), event: field("event"), data: data === null ? null : JSON.parse(data) }
}
