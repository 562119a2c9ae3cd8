/**
 * Grammar: the parser of bash commands, which is loaded at the first command that is judged.
 *
 * A program that is bundled has the two files beside it, in `grammar`. Where they do not load there
 * is no parser, every command is one that cannot be taken apart, and asks.
 */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { Effect } from "effect"
import type { Node } from "web-tree-sitter"

/** Uses the tree of a text, which is gone afterwards. */
export type UseTree = <A>(text: string, use: (root: Node) => A) => A | null

/** Null where there is no grammar. */
export const loadGrammar: Effect.Effect<UseTree | null> = Effect.promise(() => (loading ??= load()))

let loading: Promise<UseTree | null> | null = null

async function load(): Promise<UseTree | null> {
  try {
    const { Language, Parser } = await import("web-tree-sitter")
    const { resolve } = createRequire(import.meta.url)
    const [engine, grammar] = await Promise.all([
      readFile(bundled ? beside("web-tree-sitter.wasm") : resolve("web-tree-sitter/web-tree-sitter.wasm")),
      readFile(
        bundled
          ? beside("tree-sitter-bash.wasm")
          : resolve("@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm"),
      ),
    ])
    await Parser.init({ wasmBinary: engine })
    const parser = new Parser().setLanguage(await Language.load(grammar))
    return (text, use) => {
      const tree = parser.parse(text)
      try {
        return tree === null ? null : use(tree.rootNode)
      } finally {
        tree?.delete()
      }
    }
  } catch {
    // A file is missing, or this machine runs no WebAssembly; asking about every command is right then.
    return null
  }
}

const bundled = import.meta.url.endsWith(".js")

const beside = (name: string): URL => new URL(`./grammar/${name}`, import.meta.url)
