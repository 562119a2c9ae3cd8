/** A title from the user's words: the first line that says something, cut at a word (SS2). */
export function titleOf(text: string): string {
  const line = (text.split("\n").find((each) => each.trim() !== "") ?? "").replaceAll(/\s+/g, " ").trim()
  const characters = [...line]
  if (characters.length <= charactersMax) return line
  const room = characters.slice(0, charactersMax - 1).join("")
  const end = room.lastIndexOf(" ")
  return `${end > charactersMax / 2 ? room.slice(0, end) : room}…`
}

const charactersMax = 60
