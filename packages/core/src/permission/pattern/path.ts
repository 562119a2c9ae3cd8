/**
 * Path patterns: the wildcards of `.gitignore`, counted from the project root.
 *
 *   *.pem          at every depth, because it holds no slash
 *   src/**         everything below src of the project; so does src/ or ./src
 *   /etc/hosts     an absolute path; ~/notes counts from the home directory
 *
 * A pattern that fits a folder covers all that is in it. A letter with its accent is the same in one
 * character or in two: nobody who writes a rule can see the difference.
 */
import { fitsPath, readPathPattern } from "../../files/wildcards.ts"
import { type Fit, type Pattern, readStars } from "./fit.ts"

/** Where a path pattern counts from; `anywhere` fits a name at every depth, outside the project too. */
type Base = "anywhere" | "project" | "root"

export const isAbsolutePattern = (text: string): boolean => /^(?:~?\/|~$|[A-Za-z]:\/)/.test(text)

/** `home` is what stands for `~`. */
export function readPathRule(text: string, home: string): Pattern {
  const path = composed(text.replace(/^~(?=\/|$)/, slashes(home)))
  if (isAbsolutePattern(path)) return createPattern("root", path)
  const below = path.replace(/^(?:\.\/)+/, "")
  if (below === "" || below === ".") return createPattern("project", "**")
  return below === path && !path.replace(/\/$/, "").includes("/")
    ? createPattern("anywhere", path)
    : createPattern("project", `/${below}`)
}

/** The path from the project root, or null where it is outside. */
export function pathInProject(path: string, projectRoot: string): string | null {
  if (path === projectRoot) return ""
  const base = projectRoot.endsWith("/") ? projectRoot : `${projectRoot}/`
  return path.startsWith(base) ? path.slice(base.length) : null
}

export const slashes = (path: string): string =>
  process.platform === "win32" ? path.replaceAll("\\", "/") : path

function createPattern(base: Base, text: string): Pattern {
  const fitsNames = base === "anywhere" ? fitsAnyName(text.replace(/\/$/, "")) : fitsFrom(text)
  return {
    fits: (path, { projectRoot }): Fit => {
      if (base === "root") return fitsNames(namesOf(withoutRoot(path))) ? "yes" : "no"
      const { inside, names } = namesIn(path, projectRoot)
      return (inside || base === "anywhere") && fitsNames(names) ? "yes" : "no"
    },
  }
}

interface PathNames {
  readonly path: string
  readonly projectRoot: string
  readonly inside: boolean
  /** From the project root inside of it, else from the root of all. */
  readonly names: readonly string[]
}

/** One path is judged by many patterns in a row, and a search judges many paths. */
let last: PathNames = { path: "/", projectRoot: "/", inside: true, names: [] }

function namesIn(path: string, projectRoot: string): PathNames {
  if (last.path === path && last.projectRoot === projectRoot) return last
  const below = pathInProject(path, projectRoot)
  last = { path, projectRoot, inside: below !== null, names: namesOf(below ?? withoutRoot(path)) }
  return last
}

const namesOf = (path: string): readonly string[] => (path === "" ? [] : composed(path).split("/"))
const composed = (text: string): string => text.normalize("NFC")
const withoutRoot = (path: string): string => path.replace(/^\//, "")

/** Most patterns are a name with a star at most, which needs no more than a comparison. */
function fitsAnyName(name: string): (names: readonly string[]) => boolean {
  if (name === "**" || name === "*") return () => true
  if (!/[?[\\]/.test(name)) {
    const fits = readStars(name)
    return (names) => names.some(fits)
  }
  const pattern = readPathPattern(name)
  return (names) => fitsPath([...pattern, "any"], names)
}

function fitsFrom(text: string): (names: readonly string[]) => boolean {
  // A slash at the front keeps a single name at the root, as in every ignore file.
  const pattern = readPathPattern(text.startsWith("/") ? text : `/${text}`)
  return text === "**" || text === "/" || text === "/**"
    ? () => true
    : (names) => fitsPath([...pattern, "any"], names)
}
