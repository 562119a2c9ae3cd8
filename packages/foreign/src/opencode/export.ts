/** The JSON that `opencode export` writes: one session, `{info, messages: [{info, parts}]}` (IM2). */
import { objectOf, elementsOf } from "../reading/fields.ts"
import { readElements } from "../reading/elements.ts"
import { skipped } from "../reading/line-reader.ts"
import type { Reader } from "../record.ts"
import { type MessageReader, openCodeMessages, sessionOf } from "./message.ts"

const wanted = { values: new Set(["info", "messages.*"]), ends: new Set<string>() }

export const readOpenCodeExport: Reader = async function* (bytes) {
  let reader: MessageReader | null = null
  let line = 0
  for await (const element of readElements(bytes, wanted)) {
    if ("why" in element) yield skipped(null, line + 1, element.why, element.detail)
    else if ("over" in element) continue
    else if (element.path === "info") {
      const session = sessionOf(objectOf(element.value))
      if (session === null || session.type !== "session") continue
      reader = openCodeMessages(session.session)
      yield session
    } else {
      line++
      const message = objectOf(element.value)
      if (reader === null) yield skipped(null, line, "wrong-shape", "a message before its session")
      else yield* reader.message(objectOf(message["info"]), elementsOf(message["parts"]).map(objectOf), line)
    }
  }
  if (reader === null) yield skipped(null, line, "wrong-shape", "no session is in it")
}
