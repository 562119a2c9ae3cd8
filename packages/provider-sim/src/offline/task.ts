/**
 * Task: the plan that the offline agent reads out of a person's text.
 *
 * Recognition is a handful of patterns, in the order of the text. What is not recognized is not
 * guessed.
 */

export type Action =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "write"; readonly path: string; readonly content: string | undefined }
  | { readonly kind: "bash"; readonly command: string }
  | { readonly kind: "list"; readonly path: string }
  | { readonly kind: "search"; readonly pattern: string }

/** Calls of one round run side by side. */
export type Round = readonly Action[]

const parallelMax = 8

/** A longer text is quoted material; a task stands at its beginning. */
const taskCharsMax = 8_000

const extensions =
  "md|mdx|txt|json|jsonc|jsonl|tsx?|jsx?|mjs|cjs|py|rs|go|java|kt|swift|c|h|cpp|hpp|cs|rb|php|sh|ya?ml|toml|html?|css|scss|sql|csv|log|lock|xml|ini|cfg|conf|svg|vue|png|jpe?g|gif|webp"
const pathSource = String.raw`(?<![\w@:/.-])((?:\.{1,2}\/|\/)?(?:[\w@.-]+\/)*(?:[\w.-]+\.(?:${extensions})|Makefile|Dockerfile|LICENSE|README))(?![\w/-])`
/** Names of products that look like files. */
const productPattern = /^(?:node|next|vue|nuxt|express|three|d3)\.js$/i

/** The rounds a text asks for; empty if nothing is recognized. */
export function planTask(words: string, system: string): readonly Round[] {
  const text = words.slice(0, taskCharsMax)
  const found = [...findCommands(text), ...findWrites(text), ...findSearches(text)]
  const taken = found.map(({ at, end }) => [at, end] as const)
  const free = (at: number) => taken.every(([from, to]) => at < from || at >= to)
  found.push(...findReads(text).filter(({ at }) => free(at)))
  if (found.length === 0) found.push(...findListing(text))
  if (found.length === 0 && asksAboutProject(text, system)) return [[{ kind: "read", path: "README.md" }]]
  return groupRounds(found.sort((a, b) => a.at - b.at).map(({ action }) => action))
}

interface Found {
  readonly at: number
  readonly end: number
  readonly action: Action
}

function findCommands(text: string): Found[] {
  const quoted = /\b(?:run|execute|try)\s+(?:the\s+)?(?:following\s+)?(?:command\s*)?:?\s*`([^`\n]+)`/gi
  const bare =
    /\b(?:run|execute)\s+((?:npm|npx|node|pnpm|yarn|bun|git|ls|pwd|cat|echo|printf|wc|date|uname|make|cargo|go|python3?|seq|sleep|find|head|tail|mkdir|touch)\b[^\n`]*?)(?=[.!?,;]?(?:\s+(?:and|then)\b|\s*$|\n|[.!?,;]\s))/gi
  return [quoted, bare].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => ({
      at: match.index,
      end: match.index + match[0].length,
      action: { kind: "bash", command: (match[1] ?? "").trim() } as const,
    })),
  )
}

/**
 * A file is written only where the text names it as the target, so that "a summary of a.md" or
 * "tests for b.ts" never overwrites its source.
 */
function findWrites(text: string): Found[] {
  const direct = String.raw`\b(?:write|create|add)\s+(?:a\s+|an\s+|the\s+)?(?:new\s+)?(?:[a-z]+\s+)?(?:file\s+)?(?:called\s+|named\s+)?["“\x60]?`
  const into = String.raw`\b(?:write|save|put)\b(?:(?![.!?]\s)[^\n])*?\b(?:to|into|in)\s+(?:the\s+|a\s+)?(?:new\s+)?(?:file\s+)?["“\x60]?`
  for (const verb of [direct, into]) {
    const match = new RegExp(verb + pathSource, "i").exec(text)
    const path = match?.[1]
    if (match === null || path === undefined) continue
    const at = match.index + match[0].length - path.length
    const after = text.slice(at + path.length)
    const content = findContent(match[0].slice(0, -path.length), after)
    return [
      {
        at,
        end: content === undefined ? at + path.length : text.length,
        action: { kind: "write", path, content: content && `${content.trimEnd()}\n` },
      },
    ]
  }
  return []
}

function findContent(before: string, after: string): string | undefined {
  const fenced = /```[^\n]*\n([\s\S]*?)```/.exec(after)
  if (fenced?.[1] !== undefined) return fenced[1]
  const quotedBefore = /["“`]([^"”`]+)["”`]\s+(?:to|into|in)\b/.exec(before)
  if (quotedBefore?.[1] !== undefined) return quotedBefore[1]
  const quoted =
    /\b(?:with|containing|contains|saying|says|content|contents|text)\b[^"“`\n]{0,40}["“`]([^"”`]+)["”`]/i
  const quotedAfter = quoted.exec(after)
  if (quotedAfter?.[1] !== undefined) return quotedAfter[1]
  return /\b(?:containing|saying|that says)\s+(?:the\s+(?:text|line|words?)\s+)?([^\n]+)/i.exec(after)?.[1]
}

function findSearches(text: string): Found[] {
  const pattern = /\b(?:search|grep|look)\s+(?:the\s+\w+\s+)?(?:for\s+)?["“`]([^"”`\n]+)["”`]/gi
  return [...text.matchAll(pattern)].map((match) => ({
    at: match.index,
    end: match.index + match[0].length,
    action: { kind: "search", pattern: match[1] ?? "" } as const,
  }))
}

function findReads(text: string): Found[] {
  const seen = new Set<string>()
  return [...text.matchAll(new RegExp(pathSource, "g"))].flatMap((match) => {
    const path = match[1] ?? ""
    if (productPattern.test(path) || seen.has(path)) return []
    seen.add(path)
    return [{ at: match.index, end: match.index + path.length, action: { kind: "read", path } as const }]
  })
}

function findListing(text: string): Found[] {
  const match = /\b(?:list|show|what|which)\b[^.!?\n]*\b(?:files?|folders?|director(?:y|ies))\b/i.exec(text)
  if (match === null) return []
  const folder = /`([^`\s]+)`|\b(?:in|of|under)\s+((?:\.{0,2}\/)?[\w.-]+\/[\w./-]*)/.exec(text)
  const path = folder?.[1] ?? folder?.[2]?.replace(/(?<=[\w/])\.$/, "") ?? "." // without a full stop
  return [{ at: match.index, end: match.index, action: { kind: "list", path } }]
}

function asksAboutProject(text: string, system: string): boolean {
  const topic = /\b(?:project|repo|repository|codebase|code base|readme|this package)\b/i
  const order =
    /\b(?:describe|summari[sz]e|explain|introduce)\b[^.!?\n]*\b(?:project|repo|repository|codebase)\b/i
  return topic.test(text) || order.test(system)
}

function groupRounds(actions: readonly Action[]): readonly Round[] {
  const rounds: Action[][] = []
  for (const action of actions) {
    const last = rounds.at(-1)
    const joins = action.kind === "read" && last?.[0]?.kind === "read" && last.length < parallelMax
    if (joins) last.push(action)
    else rounds.push([action])
    if (action.kind === "write") rounds.push([{ kind: "read", path: action.path }])
  }
  return rounds
}
