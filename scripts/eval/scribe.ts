/**
 * A scripted model in the place of a historian's (`npm run eval -- window --historian`): no real one runs offline.
 *
 * `plain` writes what a small model would: parts of a dozen entries, and of what the agent said in each the first
 * sentences, in four lengths, without a name that it did not say there. `vague` is valid and says nothing. What the
 * window holds beside that, the runtime found itself.
 */
import type { Scribe } from "./recalled.ts"

const entriesPerPart = 12
const sentencesMax = [8, 3, 1] as const

const answerWith =
  (tiers: (lines: readonly string[]) => readonly string[]): Scribe =>
  ({ chunk }) => {
    const lines = chunk.text.split("\n")
    const count = chunk.entries.length
    const parts: string[] = []
    for (let from = 1; from <= count; from += entriesPerPart) {
      const to = Math.min(count, from + entriesPerPart - 1)
      const inside = lines.filter((line) => {
        const ordinal = Number(/^\[(\d+)/.exec(line)?.[1])
        return ordinal >= from && ordinal <= to
      })
      const [p1 = "Work.", p2 = "", p3 = "", p4 = ""] = tiers(inside)
      const body = [p1, p2, p3, p4].map((text, at) => `<p${at + 1}>${escaped(text)}</p${at + 1}>`).join("")
      parts.push(`<part from="${from}" to="${to}" title="Work" importance="50" kind="change">${body}</part>`)
    }
    return `<history>${parts.join("")}<next>${count + 1}</next></history>`
  }

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const sentencesOf = (lines: readonly string[]): readonly string[] =>
  lines
    .filter((line) => /^\[\d+(?:-\d+)?\] A:/.test(line))
    .map((line) => line.replace(/^\S+ A: */, "").split(/(?<=[.!?:]) /)[0] ?? "")
    .filter((sentence) => sentence.length > 2)

export const scribes: Readonly<Record<"plain" | "vague", Scribe>> = {
  plain: answerWith((lines) => {
    const said = sentencesOf(lines)
    const tiers = sentencesMax.map((most) => said.slice(-most).join(" "))
    return [tiers[0] || "Calls without words.", tiers[1] ?? "", tiers[2] ?? "", ""]
  }),
  vague: answerWith(() => ["Some work was done.", "Work.", "Work.", ""]),
}
