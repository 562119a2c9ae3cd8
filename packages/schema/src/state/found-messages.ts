/**
 * Messages of a window that have something rare, found without a walk through all of them.
 *
 * Every boundary asks, and a long window costs more to walk than to compare: what was found last is
 * kept by the first message, and only what changed since, mostly the end, is looked at again.
 */
import type { Message } from "../message.ts"

interface Found {
  readonly messages: readonly Message[]
  readonly found: readonly Message[]
}

/** Those that `has` tells, in order; it must say the same of one message for ever. */
export function makeFinder(
  has: (message: Message) => boolean,
): (messages: readonly Message[]) => readonly Message[] {
  const known = new WeakMap<Message, Found>()
  return (messages) => {
    const [first] = messages
    if (first === undefined) return []
    const last = known.get(first) ?? { messages: [], found: [] }
    let same = 0
    while (same < messages.length && messages[same] === last.messages[same]) same += 1
    const left = new Set(last.messages.slice(same))
    const found = last.found.filter((message) => !left.has(message))
    for (let at = same; at < messages.length; at++) {
      const message = messages[at] as Message
      if (has(message)) found.push(message)
    }
    known.set(first, { messages, found })
    return found
  }
}
