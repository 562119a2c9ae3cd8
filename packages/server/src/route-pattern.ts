/**
 * The pattern of a path, as `/api/session/:sessionID`: what logs and traces call a request by. They
 * hold no path as it was sent, since anybody can write anything into it.
 */
import { HttpApi } from "effect/http-api"
import { HoldfastApi } from "@holdfast/protocol/api"
import { docsPaths } from "./docs-page.ts"

/** What leads nowhere. */
export const noPattern = "none"

/** Of the path of a request, with its query or without. */
export function routePattern(method: string, url: string): string {
  const path = url.replace(/[?#].*$/s, "")
  const asked = method === "HEAD" ? "GET" : method
  return patterns().find((known) => known.method === asked && known.shape.test(path))?.pattern ?? noPattern
}

interface KnownRoute {
  readonly method: string
  readonly pattern: string
  readonly shape: RegExp
}

let known: readonly KnownRoute[] | undefined

const patterns = (): readonly KnownRoute[] => (known ??= reflect())

function reflect(): readonly KnownRoute[] {
  const found = ["/openapi.json", "/metrics", ...docsPaths].map((path) => knownRoute("GET", path))
  HttpApi.reflect(HoldfastApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => void found.push(knownRoute(endpoint.method, endpoint.path)),
  })
  return found
}

function knownRoute(method: string, pattern: string): KnownRoute {
  const parts = pattern.split(/:\w+/).map((literal) => literal.replaceAll(".", "\\."))
  return { method, pattern, shape: new RegExp(`^${parts.join("[^/]+")}$`) }
}
