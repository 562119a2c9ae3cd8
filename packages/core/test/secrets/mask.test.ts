import { describe, expect, test } from "vitest"
import { findToken } from "../../src/secrets/mask.ts"
import { makeMasks } from "../../src/secrets/masks.ts"
import {
  anthropic,
  awsKey,
  awsSecret,
  github,
  hex,
  jwt,
  negatives,
  pem,
  plain,
  positives,
} from "./samples.ts"

const key = Buffer.from("the key of one store")
const masks = makeMasks({ key })
const token = /⟦secret:([a-z-]+):[0-9a-f]{8}⟧/g
const kindsIn = (text: string): readonly string[] => [...text.matchAll(token)].map(([, kind = ""]) => kind)

/** Fed in pieces of these sizes, over and over. */
function streamed(text: string, sizes: readonly number[], from = masks): string {
  const stream = from.stream()
  let told = ""
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    told += stream.push(text.slice(at, at + size))
    at += size
  }
  return told + stream.end()
}

describe("mask", () => {
  test("[AU1] has at least 60 samples of either kind", () => {
    expect(positives.length).toBeGreaterThanOrEqual(60)
    expect(negatives.length).toBeGreaterThanOrEqual(60)
  })

  test.each(positives.map((sample, at) => [sample.kind, at, sample] as const))(
    "[AU1] hides a secret of kind %s (sample %i) and nothing around it",
    (kind, _, { text, secrets }) => {
      const masked = masks.text(text)
      expect(masked.replaceAll(token, "*")).toBe(
        secrets.reduce((hidden, secret) => hidden.replace(secret, "*"), text),
      )
      expect(kindsIn(masked)).toEqual(secrets.map(() => kind))
    },
  )

  test.each(negatives.map((text, at) => [at, text] as const))(
    "[AU1] leaves what is no secret: %i",
    (_, text) => expect(masks.text(text)).toBe(text),
  )

  test("[AU1] gives the same secret the same token, another secret and another store another", () => {
    const twice = masks.text(`${github} and again "${github}" and gho_${plain(36, "b")}`)
    const [first, second, third] = twice.match(token) ?? []
    expect(second).toBe(first)
    expect(third).not.toBe(first)
    expect(makeMasks({ key: Buffer.from("another") }).text(github)).not.toBe(first)
    expect(masks.text(`https://a:${github}@github.com`)).toContain(first)
  })

  test("[AU1] masks twice as it masks once", () => {
    const once = masks.text(positives.map(({ text }) => text).join("\n"))
    expect(masks.text(once)).toBe(once)
  })

  test("[AU1] hides a learned credential as it stands, in an address, in JSON and in base64, by one token", () => {
    const learned = makeMasks({ key })
    const secret = `p/ss"w0rd+${hex(8)}`
    learned.learn([secret])
    const encoded = Buffer.from(secret).toString("base64").replace(/=+$/, "")
    const text = [secret, encodeURIComponent(secret), JSON.stringify({ secret }), encoded].join("\n")
    const masked = learned.text(text)
    expect(kindsIn(masked)).toEqual(["credential", "credential", "credential", "credential"])
    expect(new Set(masked.match(token)).size).toBe(1)
  })

  test("[AU1] gives a learned secret the token of its shape", () => {
    const learned = makeMasks({ key })
    learned.learn([anthropic])
    expect(learned.text(anthropic)).toBe(masks.text(anthropic))
  })

  test("[AU1] hides no word that stands in the place of a key", () => {
    const learned = makeMasks({ key })
    const words = ["ollama", "lm-studio", "not-needed", "none", "dummy-key", "sk-1"]
    learned.learn(words)
    expect(learned.text(words.join(" "))).toBe(words.join(" "))
  })

  test("[AU1] with shapes switched off hides learned secrets alone", () => {
    const learned = makeMasks({ key, shapes: false })
    learned.learn([anthropic])
    expect(learned.text(`${anthropic} ${github}`)).toBe(`${masks.text(anthropic)} ${github}`)
  })

  test("[AU1] hides secrets in the texts and names of a value, and hands on one without", () => {
    const value = { a: [1, null, { [github]: `Bearer ${jwt}` }], b: true }
    expect(JSON.stringify(masks.json(value))).not.toMatch(/ghp_|eyJ/)
    const harmless = { a: ["x", { b: 1 }] }
    expect(masks.json(harmless)).toBe(harmless)
  })

  test("[AU1] finds a token in whatever value holds it", () => {
    const [held = ""] = masks.text(github).match(token) ?? []
    for (const value of [held, [1, `x ${held}`], { a: { [held]: 1 } }]) expect(findToken(value)).toBe(held)
    for (const value of ["⟦secret⟧", "⟦secret:x:12⟧", 1, null, { a: "b" }])
      expect(findToken(value)).toBeNull()
  })

  test("[AU1] takes time in proportion to the text, whatever it repeats", () => {
    const repeated = ["sk-", "eyJ-", "-----BEGIN ", "://a:", "AKIA ", "Bearer ", "secret_access_key", "xoxb-"]
    for (const unit of repeated) {
      const started = performance.now()
      masks.text(unit.repeat(40_000))
      streamed(unit.repeat(40_000), [65_536])
      expect(performance.now() - started, unit).toBeLessThan(5_000)
    }
  })
})

describe("mask stream", () => {
  const everything = [...positives.map(({ text }) => text), ...negatives].join("\n")
  const short = [...positives.map(({ text }) => text), ...negatives]
    .filter(({ length }) => length < 500)
    .join("\n")

  test.each([[[1]], [[3, 7]]])("[AU1] tells in pieces of %j what it would tell at once", (sizes) =>
    expect(streamed(short, sizes)).toBe(masks.text(short)),
  )

  test.each([[[61]], [[1, 400]], [[4_096]]])(
    "[AU1] tells in pieces of %j what it would tell at once",
    (sizes) => expect(streamed(everything, sizes)).toBe(masks.text(everything)),
  )

  test("[AU1] leaks nothing of a secret wherever it is split", () => {
    for (const secret of [github, anthropic, jwt, `${awsKey},${awsSecret}`, pem("PRIVATE KEY", 2)]) {
      const text = `before ${secret} behind\n`
      for (let at = 1; at < text.length; at++) {
        const stream = masks.stream()
        const told = stream.push(text.slice(0, at)) + stream.push(text.slice(at)) + stream.end()
        expect(told).toBe(masks.text(text))
      }
    }
  })

  test("[AU1] holds back nothing of a text that begins no secret", () => {
    const stream = masks.stream()
    for (const piece of ["....", "42 %", "no newline yet", ", and more"])
      expect(stream.push(piece)).toBe(piece)
    expect(stream.push("a token: gh")).toBe("a token: ")
    expect(stream.push("osts")).toBe("ghosts")
  })

  test("[AU1] holds back a bounded part of what never ends", () => {
    const stream = masks.stream()
    let told = 0
    for (let piece = 0; piece < 64; piece++) told += stream.push(`sk-${"a".repeat(2_048)}`).length
    expect(told).toBeGreaterThan(64 * 2_048 - 40_000)
  })

  test("[AU1] hides a secret that is learned while it streams", () => {
    const learned = makeMasks({ key })
    const secret = `c0ffee-${hex(12)}`
    const stream = learned.stream()
    expect(stream.push("first\n")).toBe("first\n")
    learned.learn([secret])
    expect(stream.push(secret.slice(0, 9)) + stream.push(secret.slice(9)) + stream.end()).toBe(
      learned.text(secret),
    )
  })
})
