/** Callers over HTTP, in a process of their own: each waits for its receipt, then sends the next. */
import { Agent, request } from "node:http"
import type { HttpCalls } from "../measure/admission.ts"
import { nowNs } from "../sample.ts"

process.once("message", (message: HttpCalls) => {
  void call(message).then((rate) => process.send?.(rate, () => process.disconnect?.()))
})

async function call({ url, token, sessions, callers, each }: HttpCalls): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  const body = JSON.stringify({
    text: "Which part of the request repeats? ".repeat(6).slice(0, 200),
    resume: false,
  })
  const send = (session: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      }
      const outgoing = request(`${url}/api/session/${session}/prompt`, { method: "POST", agent, headers })
      outgoing.on("response", (incoming) => {
        incoming.resume()
        incoming.on("end", () =>
          incoming.statusCode === 200 ? resolve() : reject(new Error(`status ${incoming.statusCode}`)),
        )
      })
      outgoing.on("error", reject)
      outgoing.end(body)
    })
  const caller = async (at: number): Promise<void> => {
    for (let i = 0; i < each; i++) await send(sessions[(at + i) % sessions.length] ?? "")
  }
  await Promise.all(Array.from({ length: callers }, (_, at) => caller(at)))
  const startNs = nowNs()
  await Promise.all(Array.from({ length: callers }, (_, at) => caller(at)))
  const rate = (callers * each * 1e9) / (nowNs() - startNs)
  agent.destroy()
  return rate
}
