/** Where and as whom a request is sent. */

/** Both forms of a base URL are configured in practice: with and without the version. */
export function apiAddress(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, "")
  if (base.endsWith(`/${path}`)) return base
  return /\/v\d+\w*$/.test(base) ? `${base}/${path}` : `${base}/v1/${path}`
}

export const bearerHeaders = (apiKey: string | null): Readonly<Record<string, string>> =>
  streamHeaders("authorization", apiKey === null ? null : `Bearer ${apiKey}`)

/** Asks for a stream of events, with the credential under the provider's own name for it. */
export const streamHeaders = (name: string, key: string | null): Readonly<Record<string, string>> => ({
  ...(key !== null && { [name]: key }),
  "content-type": "application/json",
  accept: "text/event-stream",
})
