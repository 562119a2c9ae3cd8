/**
 * The contract as anybody may see it: `GET /openapi.json` for machines, and `GET /docs` for people to
 * read and try, by Swagger UI (docs/decisions/0030).
 *
 * Everything comes from this server: its files are ours, and the browser is told to fetch nothing from
 * elsewhere. The page holds no data and needs no token; what a reader tries with it needs one, and
 * is given it by hand. Nothing is read from disk before the first look.
 */
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { HoldfastApi } from "@holdfast/protocol/api"

interface PageFile {
  readonly type: string
  readonly read: () => Promise<Uint8Array>
}

/** A bundle has the files beside it; the sources find them where they are installed. */
const bundled = import.meta.url.endsWith(".js")

/** Files of Swagger UI that the page needs. A bundle has them in `docs-page`. */
const library = (name: string) => (): Promise<Uint8Array> =>
  readFile(
    bundled
      ? new URL(`./docs-page/${name}`, import.meta.url)
      : createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`),
  )

const own = (text: string) => async (): Promise<Uint8Array> => new TextEncoder().encode(text)

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Holdfast</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<main id="contract"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** Schemas stay folded: the operations are what a reader looks for. The validator would be a foreign address. */
const start = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#contract",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  filter: true,
  persistAuthorization: false,
  validatorUrl: null,
})
`

const files: Readonly<Record<`/docs${string}`, PageFile>> = {
  "/docs": { type: "text/html; charset=utf-8", read: own(page) },
  "/docs/start.js": { type: "text/javascript; charset=utf-8", read: own(start) },
  "/docs/swagger-ui.css": { type: "text/css; charset=utf-8", read: library("swagger-ui.css") },
  "/docs/swagger-ui-bundle.js": {
    type: "text/javascript; charset=utf-8",
    read: library("swagger-ui-bundle.js"),
  },
}

export const docsPaths: readonly string[] = Object.keys(files)

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

const headers = {
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-cache",
}

let document: HttpServerResponse.HttpServerResponse | undefined

const documentRoute = HttpRouter.route(
  "GET",
  "/openapi.json",
  Effect.sync(() => (document ??= HttpServerResponse.jsonUnsafe(OpenApi.fromApi(HoldfastApi)))),
)

export const docsRoutes = HttpRouter.addAll([
  documentRoute,
  ...Object.entries(files).map(([path, file]) =>
    HttpRouter.route("GET", path as `/${string}`, (request) =>
      Effect.map(Effect.promise(file.read), (bytes) => {
        const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`
        return request.headers["if-none-match"] === etag
          ? HttpServerResponse.empty({ status: 304, headers: { ...headers, etag } })
          : HttpServerResponse.uint8Array(bytes, { contentType: file.type, headers: { ...headers, etag } })
      }),
    ),
  ),
])
