/**
 * A client on another machine: speaks to a server by the address and token that it is given, and
 * prints as one line of JSON what it got. `names` are tried as the Host of a request.
 */
import { request } from "node:http"
import { makeClient, settled } from "@holdfast/sdk"

interface Asked {
  readonly url: string
  readonly token: string
  readonly names: readonly string[]
}

const { url, token, names } = JSON.parse(process.argv[2] ?? "{}") as Asked

const statusFor = (headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(`${url}/api/health`, { headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on("error", reject)
      .end()
  })

const authorization = `Bearer ${token}`
const statuses: Record<string, number | undefined> = { "": await statusFor({}) }
for (const host of names) statuses[host] = await statusFor({ host, authorization })

const holdfast = makeClient({ baseUrl: url, token })
const { id: sessionID } = await holdfast.sessions.create()
await holdfast.sessions.prompt({ sessionID, text: "Read README.md." })
const { status, text } = await settled(holdfast, { sessionID })
process.stdout.write(`${JSON.stringify({ statuses, status, text })}\n`)
