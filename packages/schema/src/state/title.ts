/** A title from the user's words: the first line that says something, without its Markdown marks, cut at a word (SS2). */
export function titleOf(text: string): string {
  const lines = text.split("\n").map((each) => each.replaceAll(/\s+/g, " ").trim())
  const line = (lines.find(saysSomething) ?? lines.find((each) => each !== "") ?? "").replace(marks, "")
  const characters = [...line]
  if (characters.length <= charactersMax) return line
  const room = characters.slice(0, charactersMax - 1).join("")
  const end = room.lastIndexOf(" ")
  return `${end > charactersMax / 2 ? room.slice(0, end) : room}…`
}

const charactersMax = 60

/** Of a heading, a quotation or an item of a list. */
const marks = /^(?:(?:#{1,6}|>|[-*+]|\d+[.)]) )+(?=\S)/

/** A rule, a bare bullet and the fence of a code block say nothing. */
const saysSomething = (line: string): boolean =>
  /[\p{L}\p{N}\p{So}]/u.test(line) && !/^(?:```|~~~)/.test(line)
