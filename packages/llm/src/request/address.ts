/** Where and as whom a request is sent to a server that speaks OpenAI's forms. */

/** Both forms of a base URL are configured in practice: with and without the version. */
export function apiAddress(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, "")
  if (base.endsWith(`/${path}`)) return base
  return /\/v\d+\w*$/.test(base) ? `${base}/${path}` : `${base}/v1/${path}`
}

export const bearerHeaders = (apiKey: string | null): Readonly<Record<string, string>> => ({
  ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
  "content-type": "application/json",
  accept: "text/event-stream",
})
