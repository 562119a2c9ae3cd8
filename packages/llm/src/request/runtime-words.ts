/** Words that stand on the user's side but are not the user's (PR7). */

/** Stands where a provider wants text and there is none. */
export const textOfNothing = "(no output)"

export const isBlank = (text: string): boolean => text.trim() === ""

/** The runtime's words, in a tag that they cannot close. */
export function wrap(tag: "notice" | "context-update", text: string): string {
  const inert = text.replaceAll(/<(?=\s*\/?\s*(?:notice|context-update)\b)/giu, "&lt;")
  return `<${tag} from="runtime">\n${inert}\n</${tag}>`
}
