/** Where agents, skills and commands lie: in the user's configuration first, then in the project. */
import { join } from "node:path"
import type { MarkdownPlace } from "./files.ts"

export interface MarkdownSettings {
  readonly configDirectory: string
  /** Set by `HOLDFAST_DISABLE_PROJECT_CONFIG`: nothing of a project is read. */
  readonly disableProject: boolean
  /** Of the user, where other programs have their folders; nothing is read there unless given. */
  readonly home?: string | null
}

export type MarkdownKind = "agents" | "skills" | "commands"

/** Folders of other programs in the user's home. */
const homeFolders: Readonly<Record<MarkdownKind, readonly string[]>> = {
  agents: [],
  skills: [".claude", ".agents"],
  commands: [],
}

/** Folders of a project; those of other programs are read too. */
const projectFolders: Readonly<Record<MarkdownKind, readonly string[]>> = {
  agents: [".holdfast", ".claude"],
  skills: [".holdfast", ".claude", ".agents"],
  commands: [".holdfast", ".claude"],
}

/** `projectRoot` is canonical; null looks at what is the user's alone. */
export function markdownPlaces(
  kind: MarkdownKind,
  { configDirectory, disableProject, home = null }: MarkdownSettings,
  projectRoot: string | null,
): readonly MarkdownPlace[] {
  const own = { directory: join(configDirectory, kind), foreign: false }
  const others =
    home === null
      ? []
      : homeFolders[kind].map((folder) => ({ directory: join(home, folder, kind), foreign: true }))
  const user = [own, ...others].map((place) => ({ ...place, origin: "user" as const, within: null }))
  if (disableProject || projectRoot === null) return user
  const project = projectFolders[kind].map((folder) => ({
    directory: join(projectRoot, folder, kind),
    origin: "project" as const,
    within: projectRoot,
    foreign: folder !== ".holdfast",
  }))
  // A Session may work in the home itself: what lies there is the user's.
  const known = new Set(user.map(({ directory }) => directory))
  return [...user, ...project.filter(({ directory }) => !known.has(directory))]
}
