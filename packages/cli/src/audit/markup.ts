/** Text that stands in a page: what somebody else wrote must not become markup. */
import { printable } from "../terminal.ts"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

export const markupText = (text: string): string =>
  printable(text).replace(/[&<>"']/g, (sign) => entities[sign] ?? "")
