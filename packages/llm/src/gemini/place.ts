/**
 * The body of a Gemini request (LL5): the provider caches prefixes by itself, so nothing is marked.
 */
import { listNamed, messageOf, noBrackets } from "../request/body.ts"
import { makePlacing, withoutModel } from "../request/placing.ts"

/** Functions share one entry of the tools; each hosted tool is an entry of its own. */
const functions = { open: '{"functionDeclarations":[', close: "]}" }

export const placing = makePlacing({
  encoder: "gemini/1",
  settingsOf: ({ params }) => JSON.stringify(withoutModel(params)),
  layout: {
    tools: listNamed("tools"),
    prompts: { open: ',"systemInstruction":{"parts":[', close: "]}" },
    messages: listNamed("contents"),
    groupOf: ({ role, segment, json }) => {
      if (role !== null) return messageOf(role === "assistant" ? "model" : "user", "parts")
      return segment === "tools" && json.startsWith('{"name":') ? functions : noBrackets
    },
  },
})
