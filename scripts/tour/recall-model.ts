/**
 * The model of the long Session: it notes days, and when it is asked for one that left its window, it looks it up.
 *
 * It knows nothing but what a request shows. The history of the window names the messages that left; `context_expand`
 * brings one of them back as it was.
 */
import type { Reply, RequestView, SimModel } from "../../packages/provider-sim/src/index.ts"

export const recallModel = (traits: Omit<SimModel, "reply">): SimModel => ({ ...traits, reply })

function reply(view: RequestView): Reply {
  const texts = view.messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])),
  )
  const asked = texts.findLast((text) => /What did (\w+) order/.test(text)) ?? ""
  const newest = texts.at(-1) ?? ""
  const name = /What did (\w+) order/.exec(asked)?.[1]
  if (name === undefined || newest !== asked) return says("Noted.")
  const shown = JSON.stringify(view.messages)
  const found = new RegExp(`${name}: ([^.;\\\\]+)`).exec(shown)?.[1]
  if (found !== undefined) return says(`On the first day ${name} ordered ${found}.`)
  // The first thing that the user said, as the history of the window names it.
  const message = /^U (#\d+)/m.exec(texts.join("\n"))?.[1]
  if (message === undefined) return says("I cannot know.")
  return { blocks: [{ type: "tool_use", name: "context_expand", input: { part: message } }] }
}

const says = (text: string): Reply => ({ blocks: [{ type: "text", text }] })
