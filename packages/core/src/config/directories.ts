/** Where Holdfast keeps its configuration and its data: its own variables first, then XDG. */
import { isAbsolute, join, resolve } from "node:path"

export type Environment = Readonly<Record<string, string | undefined>>

/** Of the user, as the environment names it; null where it does not. */
export const homeOf = (environment: Environment): string | null =>
  environment["HOME"] || environment["USERPROFILE"] || null

export const configDirectory = (environment: Environment, home: string): string =>
  directoryOf(environment["HOLDFAST_CONFIG_DIR"], environment["XDG_CONFIG_HOME"], join(home, ".config"))

export const dataDirectory = (environment: Environment, home: string): string =>
  directoryOf(environment["HOLDFAST_DATA_DIR"], environment["XDG_DATA_HOME"], join(home, ".local", "share"))

/** XDG paths that are not absolute are to be ignored, its specification says. */
function directoryOf(own: string | undefined, xdg: string | undefined, fallback: string): string {
  if (own !== undefined && own !== "") return resolve(own)
  return join(xdg !== undefined && isAbsolute(xdg) ? xdg : fallback, "holdfast")
}
