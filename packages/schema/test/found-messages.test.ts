/** What a finder remembers of one window changes nothing of what it finds in the next. */
import { expect, test } from "vitest"
import type { MessageId } from "../src/id.ts"
import type { Message } from "../src/message.ts"
import { makeFinder } from "../src/state/found-messages.ts"

const said = (seq: number, images: boolean): Message =>
  ({ id: `msg_${seq}` as MessageId, seq, kind: "user", text: "", ...(images && { images: [] }) }) as never

const has = (message: Message): boolean => message.kind === "user" && message.images !== undefined

test("[LL7] a window that grows, is cut, or holds another message shows the images that are in it", () => {
  const whole = [1, 2, 3, 4, 5, 6].map((seq) => said(seq, seq % 2 === 0))
  const windows = [
    whole.slice(0, 2),
    whole,
    whole.with(3, said(4, false)),
    whole.with(2, said(3, true)),
    whole.slice(0, 3),
    [...whole, said(7, true)],
    whole.slice(2),
    [],
    whole.toSpliced(1, 1),
    [...whole, said(7, false)].with(5, said(6, true)),
  ]
  const find = makeFinder(has)
  for (const window of windows) expect(find(window)).toEqual(window.filter(has))
  for (const window of windows.toReversed()) expect(find(window)).toEqual(window.filter(has))
})
