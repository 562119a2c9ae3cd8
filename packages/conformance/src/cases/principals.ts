/** Who is let in (AU1): every operation, asked by callers that must be turned away before anything is done. */
import type { Case } from "../case.ts"
import { everyOperation, type NamedOperation } from "../contract.ts"
import { expectRefusal, expectStatus, expectTrue, showAnswer } from "../expect.ts"
import { type Asked, pathOf } from "../stage.ts"
import { absentIds } from "./ids.ts"

interface Caller {
  readonly who: string
  readonly headers: Readonly<Record<string, string | null>>
  readonly refusal: "Unauthorized" | "CallerRefused"
}

const callers: readonly (readonly [title: string, callers: readonly Caller[]])[] = [
  ["no token", [{ who: "no token", headers: { authorization: null }, refusal: "Unauthorized" }]],
  [
    "a wrong token",
    ["Bearer wrong", "Bearer", "Basic Og==", "wrong", "Bearer  "].map((authorization) => ({
      who: `the authorization ${JSON.stringify(authorization)}`,
      headers: { authorization },
      refusal: "Unauthorized" as const,
    })),
  ],
  [
    "a page of a foreign Origin",
    ["https://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1:1"].map((origin) => ({
      who: `the Origin ${origin}`,
      headers: { origin },
      refusal: "CallerRefused" as const,
    })),
  ],
  ["a foreign Host", ["evil.example", "evil.example:80", "10.0.0.1"].map((host) => foreignHost(host))],
  [
    "a Host that is bound anew to a loopback address",
    ["localhost.evil.example", "127.0.0.1.nip.example", "evil-localhost", "7f000001.rebind.example:4096"].map(
      (host) => foreignHost(host),
    ),
  ],
]

function foreignHost(host: string): Caller {
  return { who: `the Host ${host}`, headers: { host }, refusal: "CallerRefused" }
}

const perOperation: readonly Case[] = everyOperation.flatMap((operation) =>
  callers.map(([title, several]) => ({
    rule: "AU1",
    title: `${operation.name} turns away ${title}`,
    needs: ["raw"] as const,
    run: async ({ ask }) => {
      for (const { who, headers, refusal } of several) {
        const answer = await ask(pathOf(operation, absentIds), { ...shapeOf(operation), headers })
        expectRefusal(`${operation.name} with ${who}`, answer, refusal)
        expectStatus(`${operation.name} with ${who}`, answer, refusal === "Unauthorized" ? 401 : 403)
      }
    },
  })),
)

/** A payload that fits nothing: whoever is let in by mistake does no harm. */
const shapeOf = ({ method, rest }: NamedOperation): Asked => ({
  method,
  ...(rest === "payload" && { payload: { noSuchField: 1 } }),
})

const special: readonly Case[] = [
  {
    rule: "AU1",
    title: "the token in the address is no token",
    needs: ["raw"],
    run: async ({ ask }) => {
      for (const query of ["token=x", "access_token=x", "authorization=Bearer%20x"]) {
        const answer = await ask(`/api/session?${query}`, { headers: { authorization: null } })
        expectRefusal(query, answer, "Unauthorized")
      }
    },
  },
  {
    rule: "AU1",
    title: "a path that does not exist needs the token too",
    needs: ["raw"],
    run: async ({ ask }) => {
      const answer = await ask("/api/no-such-path", { headers: { authorization: null } })
      expectRefusal("a path that does not exist", answer, "Unauthorized")
    },
  },
  {
    rule: "AU1",
    title: "a missing token and a wrong one are told alike",
    needs: ["raw"],
    run: async ({ ask }) => {
      const missing = await ask("/api/session", { headers: { authorization: null } })
      const wrong = await ask("/api/session", { headers: { authorization: "Bearer wrong" } })
      expectTrue(
        `expected the same answers, got ${showAnswer(missing)} and ${showAnswer(wrong)}`,
        missing.text === wrong.text && missing.status === wrong.status,
      )
    },
  },
  {
    rule: "AU1",
    title: "the answer to a missing token names the scheme",
    needs: ["raw"],
    run: async ({ ask }) => {
      const { headers } = await ask("/api/health", { headers: { authorization: null } })
      const scheme = headers.get("www-authenticate") ?? "nothing"
      expectTrue(`expected www-authenticate: Bearer, got ${scheme}`, /^bearer/i.test(scheme))
    },
  },
  {
    rule: "AU1",
    title: "a foreign Host is refused even with a foreign Origin and without a token",
    needs: ["raw"],
    run: async ({ ask }) => {
      const headers = { host: "evil.example", origin: "https://evil.example", authorization: null }
      expectRefusal("all three at once", await ask("/api/session", { headers }), "CallerRefused")
    },
  },
  {
    rule: "AU1",
    title: "a foreign page gets no preflight answered",
    needs: ["raw"],
    run: async ({ ask }) => {
      const headers = { origin: "https://evil.example", "access-control-request-method": "POST" }
      const answer = await ask("/api/session", {
        method: "OPTIONS",
        headers: { ...headers, authorization: null },
      })
      expectRefusal("the preflight", answer)
      const allowed = answer.headers.get("access-control-allow-origin")
      expectTrue(`expected no allowed origin, got ${String(allowed)}`, allowed === null)
    },
  },
  {
    rule: "AU1",
    title: "no answer lets pages of every origin read it",
    needs: ["raw"],
    run: async ({ ask }) => {
      for (const path of ["/api/health", "/api/session", "/openapi.json"]) {
        const allowed = (await ask(path)).headers.get("access-control-allow-origin")
        expectTrue(`${path} allows every origin`, allowed !== "*")
      }
    },
  },
  {
    rule: "AU1",
    title: "the scheme of the token may be written in any case",
    needs: ["raw"],
    run: async ({ ask, token }) => {
      const answer = await ask("/api/health", { headers: { authorization: `bearer ${token()}` } })
      expectStatus("a scheme in small letters", answer, 200)
    },
  },
  {
    rule: "AU1",
    title: "half a token is a wrong token",
    needs: ["raw"],
    run: async ({ ask, token }) => {
      for (const half of [token().slice(1), token().slice(0, -1), `${token()}x`]) {
        const answer = await ask("/api/health", { headers: { authorization: `Bearer ${half}` } })
        expectRefusal("a part of the token", answer, "Unauthorized")
      }
    },
  },
  {
    rule: "AU1",
    title: "no answer repeats the token",
    needs: ["raw"],
    run: async ({ ask, token }) => {
      for (const path of ["/api/health", "/api/no-such-path", "/openapi.json", "/api/session/x"]) {
        const answer = await ask(path)
        expectTrue(`${path} repeats the token`, !answer.text.includes(token()))
      }
    },
  },
]

export const principalCases: readonly Case[] = [...special, ...perOperation].map((one) => ({
  ...one,
  changesNothing: true,
}))
