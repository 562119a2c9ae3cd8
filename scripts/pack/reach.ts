/** Reach: which statements of which declaration files the exports of one of them need. */
import type { DeclarationModule, Passage } from "./declaration-module.ts"

export interface Reached {
  readonly module: DeclarationModule
  /** Whether the name is needed here, or, of a passage, whether it is passed on to somebody. */
  readonly keeps: (name: string, kind?: Passage["kind"]) => boolean
}

type Behind = (from: string, source: string) => string | null

/** Everything is followed by name; what comes from outside `modules` is taken as it is. */
export function reachFrom(
  index: string,
  modules: ReadonlyMap<string, DeclarationModule>,
  behind: Behind,
): readonly Reached[] {
  const here = new Map<string, Set<string>>()
  const outward = new Map<string, Set<string>>()

  const needFrom = (path: string, source: string, name: string): void => {
    const found = behind(path, source)
    if (found !== null) needExport(found, name)
  }

  const needExport = (path: string, name: string): void => {
    if (!isFirst(outward, path, name)) return
    for (const statement of moduleAt(path).statements) {
      if (statement.kind === "import") continue
      if (statement.kind === "declaration") {
        for (const own of statement.names) if (statement.exported && isAsked(own, name)) needHere(path, own)
        continue
      }
      for (const link of statement.links) {
        if (!isAsked(link.as, name) && link.as !== "*") continue
        isFirst(outward, path, link.as)
        const wanted = link.as === "*" ? name : link.name
        if (statement.source === null) needHere(path, link.name)
        else needFrom(path, statement.source, wanted)
      }
    }
  }

  const needHere = (path: string, name: string): void => {
    if (!isFirst(here, path, name)) return
    for (const statement of moduleAt(path).statements) {
      if (statement.kind === "import" && statement.source !== null) {
        for (const link of statement.links) if (link.as === name) needFrom(path, statement.source, link.name)
      }
      if (statement.kind !== "declaration" || !statement.names.includes(name)) continue
      for (const mention of statement.mentions) needHere(path, mention)
      for (const each of statement.inline) needFrom(path, each.source, each.name)
    }
  }

  const moduleAt = (path: string): DeclarationModule => {
    const module = modules.get(path)
    if (module === undefined) throw new Error(`There is no declaration file ${path}.`)
    return module
  }

  needExport(index, "*")
  const paths = new Set([...here.keys(), ...outward.keys()])
  return [...paths].map((path) => ({
    module: moduleAt(path),
    keeps: (name, kind) => {
      if (kind !== "export") return here.get(path)?.has(name) === true
      const asked = outward.get(path)
      return asked?.has(name) === true || asked?.has("*") === true
    },
  }))
}

const isAsked = (name: string, asked: string): boolean => asked === "*" || asked === name

/** Adds the name to the set of the path; false if it was there. */
function isFirst(sets: Map<string, Set<string>>, path: string, name: string): boolean {
  const names = sets.get(path) ?? new Set()
  sets.set(path, names)
  if (names.has(name)) return false
  names.add(name)
  return true
}
