/**
 * Guarded places: what programs run or trust by itself. To write there always asks, whatever was
 * allowed or approved before; a rule can only deny it. The directories of Holdfast hold keys and the
 * token of its server: from outside of a project whatever touches them asks.
 *
 * Names are compared as the most forgiving file systems do, which take `.GIT` for `.git`.
 */
import { everything } from "./pattern/fit.ts"
import { pathInProject } from "./pattern/path.ts"
import type { Rule } from "./rule.ts"
import type { Resource } from "./verdict.ts"

/** The rule by which a write is guarded; null where it is not. */
export function guardOf(
  { action, resource }: Resource,
  directories: readonly string[],
  projectRoot: string,
): Rule | null {
  if (action !== "write" && action !== "outside") return null
  const directory = directories.find((each) => pathInProject(resource, each) !== null)
  if (directory !== undefined) return guard(directory, action)
  // To read there is what the rules say: skills, for one, lie beside what programs trust.
  if (action === "outside") return null
  const name = (pathInProject(resource, projectRoot) ?? resource).split("/").find(isGuarded)
  return name === undefined ? null : guard(name)
}

/** Every such rule, for whoever lists what holds. */
export const guardRules = (directories: readonly string[]): readonly Rule[] =>
  [...guardedNames, ...directories].map((place) => guard(place))

const guardedNames = new Set(
  [
    ".git .holdfast holdfast.jsonc holdfast.json .claude .agents .ssh",
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc",
    ".zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc",
    ".login .logout config.fish .envrc .gitconfig .gitmodules",
  ].flatMap((line) => line.split(" ")),
)

/** Some file systems pass over characters that are not seen, and take letters of other widths for the same. */
const isGuarded = (name: string): boolean =>
  guardedNames.has(
    name
      .normalize("NFKC")
      .replaceAll(/[\p{Cf}\p{Cc}]/gu, "")
      .replace(/[. ]+$/, "")
      .toLowerCase(),
  )

const guard = (place: string, action = "write"): Rule => ({
  effect: "ask",
  selector: { text: `${action}(${place})`, action, pattern: everything },
  origin: "built-in",
  source: "it always asks",
})
