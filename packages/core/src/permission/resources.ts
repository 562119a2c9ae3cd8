/**
 * Resources: what a call would touch, in the one form that rules, asks and approvals share (PE2).
 *
 * A path is canonical and absolute. One that leads out of the project root is `outside` as well, so
 * that a rule about reading or writing does not reach out of the project by itself.
 */
import { isAbsolute, resolve } from "node:path"
import { Effect } from "effect"
import { canonicalPath } from "./canonical-path.ts"
import { pathInProject, slashes } from "./pattern/path.ts"
import type { Place, Resource } from "./verdict.ts"

export type PathAction = "read" | "write"

/** Of a path as a tool takes it, relative to the directory of the Location. */
export const pathResources = (
  action: PathAction,
  path: string,
  place: Place,
): Effect.Effect<readonly Resource[]> => followed(action, resolve(place.directory, path), place)

/** Of a path as a command takes it: `..` behind a link goes up from where the link leads. */
export const commandPathResources = (
  action: PathAction,
  path: string,
  place: Place,
): Effect.Effect<readonly Resource[]> =>
  followed(action, isAbsolute(path) ? path : `${place.directory}/${path}`, place)

/** Of several paths, each named once. */
export const pathsResources = (
  action: PathAction,
  paths: readonly string[],
  place: Place,
): Effect.Effect<readonly Resource[]> =>
  Effect.map(
    Effect.forEach(paths, (path) => pathResources(action, path, place)),
    (found) => distinct(found.flat()),
  )

/** The host of an address, as its certificate would name it; nothing for what is no address. */
export function hostResources(url: string): readonly Resource[] {
  const parsed = URL.parse(url)
  return parsed === null || parsed.hostname === ""
    ? []
    : [{ action: "webfetch", resource: parsed.hostname.replace(/\.$/, "") }]
}

export function distinct(resources: readonly Resource[]): readonly Resource[] {
  const seen = new Set<string>()
  return resources.filter(({ action, resource }) => {
    const key = `${action}\0${resource}`
    return !seen.has(key) && seen.add(key)
  })
}

/** No tool opens a path with a NUL, so that it touches nothing. */
const followed = Effect.fnUntraced(function* (action: PathAction, absolute: string, place: Place) {
  if (absolute.includes("\0")) return []
  const canonical = yield* Effect.promise(() => canonicalPath(absolute).catch(() => null))
  const path = slashes(canonical ?? resolve(absolute))
  const isInside = canonical !== null && pathInProject(path, slashes(place.projectRoot)) !== null
  return [...(isInside ? [] : [{ action: "outside", resource: path }]), { action, resource: path }]
})
