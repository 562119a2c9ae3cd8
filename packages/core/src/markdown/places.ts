/** Where agents, skills and commands lie: in the user's configuration first, then in the project. */
import { join } from "node:path"
import type { MarkdownPlace } from "./files.ts"

export interface MarkdownSettings {
  readonly configDirectory: string
  /** Set by `HOLDFAST_DISABLE_PROJECT_CONFIG`: nothing of a project is read. */
  readonly disableProject: boolean
}

export type MarkdownKind = "agents" | "skills" | "commands"

/** Folders of a project; those of other programs are read too. */
const projectFolders: Readonly<Record<MarkdownKind, readonly string[]>> = {
  agents: [".holdfast", ".claude"],
  skills: [".holdfast", ".claude", ".agents"],
  commands: [".holdfast", ".claude"],
}

/** `projectRoot` is canonical; null looks at what is the user's alone. */
export function markdownPlaces(
  kind: MarkdownKind,
  { configDirectory, disableProject }: MarkdownSettings,
  projectRoot: string | null,
): readonly MarkdownPlace[] {
  const user = {
    directory: join(configDirectory, kind),
    origin: "user",
    within: null,
    foreign: false,
  } as const
  if (disableProject || projectRoot === null) return [user]
  const project = projectFolders[kind].map((folder) => ({
    directory: join(projectRoot, folder, kind),
    origin: "project" as const,
    within: projectRoot,
    foreign: folder !== ".holdfast",
  }))
  return [user, ...project]
}
