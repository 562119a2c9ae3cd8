/** Writes docs/GLOSSARY.md from the glossary of docs/SPEC.md, one term a row, in its order. Run it after the SPEC changes. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { repositoryRoot } from "./command.ts"

export const specPath = join(repositoryRoot, "docs/SPEC.md")
export const glossaryPath = join(repositoryRoot, "docs/GLOSSARY.md")

export interface Glossary {
  readonly terms: ReadonlyArray<{ readonly term: string; readonly meaning: string }>
  /** The words after "Avoid:", as they stand. */
  readonly avoid: readonly string[]
}

export function readGlossary(spec: string): Glossary {
  const [, section = ""] = spec.split(/^## Glossary$/m)
  const bullets = section.split("\n").filter((line) => line.startsWith("- "))
  const terms = bullets.flatMap((line) =>
    // `**A**: meaning. **B**, **C**: meaning.` Terms joined by a comma share their meaning.
    [...line.matchAll(/((?:\*\*[^*]+\*\*(?:, )?)+): (.*?)(?= \*\*|$)/g)].map((match) => ({
      term: (match[1] ?? "").replaceAll("**", ""),
      meaning: match[2] ?? "",
    })),
  )
  const avoid = /^Avoid: (.*?)\.?$/m.exec(section)?.[1]?.split(", ") ?? []
  return { terms, avoid }
}

export function renderGlossary(spec: string): string {
  const { terms, avoid } = readGlossary(spec)
  return [
    "# Glossary",
    "",
    "Generated from docs/SPEC.md by `npx node scripts/glossary.ts`; change the SPEC, not this file.",
    "One term is one type is one file.",
    "",
    "| term | meaning |",
    "| --- | --- |",
    ...terms.map(({ term, meaning }) => `| **${term}** | ${meaning.replaceAll("|", "\\|")} |`),
    "",
    `Words to avoid: ${avoid.join(", ")}.`,
    "",
  ].join("\n")
}

if (import.meta.main) writeFileSync(glossaryPath, renderGlossary(readFileSync(specPath, "utf8")))
