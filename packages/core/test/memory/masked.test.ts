import { describe, expect, test } from "vitest"
import { isMemoryChange, type MemoryChange, type MemoryId } from "@holdfast/schema/memory/memory"
import type { SmartNoteId } from "@holdfast/schema/memory/note"
import { masked, maskedNote } from "../../src/memory/masked.ts"
import { makeMasks } from "../../src/secrets/masks.ts"
import { positives } from "../secrets/samples.ts"
import { stated } from "../secrets/statements.ts"
import { toldOfSecrets } from "../secrets/told-of-secrets.ts"

const masks = makeMasks({ key: Buffer.from("the key of one store") })
const source = { by: "agent", session: null, messages: [] } as const
const memory = "m1" as MemoryId

const changes = (text: string): readonly MemoryChange[] => [
  { change: "write", category: "CONFIG_VALUES", text, source, expiresAt: null, supersedes: [] },
  { change: "update", memory, text, source },
  { change: "archive", memory, reason: text, source },
  { change: "merge", from: [memory, "m2" as MemoryId], category: null, text, source },
]

describe("secrets in memory", () => {
  test("[MM1 AU1] no change stores a secret, whatever its shape", () => {
    expect(positives.length).toBeGreaterThanOrEqual(30)
    for (const { text, secrets } of [...positives, ...stated])
      for (const change of changes(text)) {
        const stored = JSON.stringify(masked(masks, change))
        for (const secret of secrets) expect(stored).not.toContain(JSON.stringify(secret).slice(1, -1))
      }
  })
  test("[MM1 AU1] has well over a hundred rows of either kind", () => {
    expect(positives.length + stated.length).toBeGreaterThanOrEqual(150)
    expect(toldOfSecrets.length).toBeGreaterThanOrEqual(200)
  })
  test("[NT1 AU1] no note stores one either, nor its condition, nor why that is true", () => {
    const note = "s1" as SmartNoteId
    for (const { text, secrets } of [...positives, ...stated])
      for (const change of [
        { change: "write", text, condition: text, source },
        { change: "update", note, text, condition: text, source },
        { change: "ready", note, reason: text, source },
      ] as const) {
        const stored = JSON.stringify(maskedNote(masks, change))
        for (const secret of secrets) expect(stored).not.toContain(JSON.stringify(secret).slice(1, -1))
      }
  })
  test.each(["The dev port is 3000.", ...toldOfSecrets])(
    "[MM1] words that are no secret stay as they are: %s",
    (text) => {
      for (const change of changes(text)) expect(masked(masks, change)).toEqual(change)
    },
  )
  test.each(stated)("[MM1 AU1] hides what is named for a secret, and nothing around it: $text", (sample) => {
    const { kind, text, secrets } = sample
    const hidden = masks.kept(text)
    expect(hidden.replaceAll(new RegExp(`⟦secret:${kind}:\\w{8}⟧`, "g"), "*")).toBe(
      secrets.reduce((rest, secret) => rest.replace(secret, "*"), text),
    )
    expect(masks.kept(hidden)).toBe(hidden)
    if (kind === "said") expect(masks.text(text)).toBe(text)
  })
  test("[MM1 NT1 AU1] a statement that its masks make too long is cut at its end, and no mask with it", () => {
    const secret = "The PIN is 4711."
    for (const text of [secret.padEnd(2_000, "a"), secret.padStart(2_000, "a"), secret.repeat(125)]) {
      const note = maskedNote(masks, { change: "write", text, condition: text, source })
      for (const change of [...changes(text).map((one) => masked(masks, one)), note])
        for (const kept of Object.entries(change).flatMap(([name, value]) =>
          name === "text" || name === "condition" ? [String(value)] : [],
        )) {
          expect(kept.length).toBeLessThanOrEqual(2_000)
          expect(kept.replaceAll(/⟦secret:said:\w{8}⟧/g, "")).not.toMatch(/⟦|4711/)
          expect(isMemoryChange({ ...changes("x")[0], text: kept })).toBe(true)
        }
    }
  })
  test("[MM1 AU1] with shapes switched off only what was learned is hidden", () => {
    const plain = makeMasks({ key: Buffer.from("key"), shapes: false })
    for (const { text } of [...positives, ...stated]) expect(plain.kept(text)).toBe(text)
    plain.learn(["a-key-of-1-provider"])
    expect(plain.kept("It is a-key-of-1-provider.")).toContain("⟦secret:")
  })
  test("[MM1] takes time in proportion to the text, whatever it repeats", () => {
    const repeated = [
      "password is ",
      "password for a ",
      "token: ",
      "-u a:",
      "passphrase'='",
      "passphrase: a b c d ",
      "mnemonic: abc abc ",
      "recovery code: a1b2-",
      "set the password to ",
      "card 1",
      "Authorization: Bearer ",
      "Authorization: Bearer a",
      "password, a b",
      "Password a1b2c3d4 ",
      "密码是 a1",
      "пароль от ",
      "PIN code: 1 2 ",
      "password changed from a to ",
      "password changed from a1b2c3 ",
      "2FA code is 12 34 ",
      "пароль: я1",
      "AKIAABCDEFGHIJKLMNOPa/",
      "A_KEY=",
      "Private-Lines: 1\nAAAAAAAA\n",
    ]
    for (const text of repeated) {
      const long = text.repeat(20_000)
      const started = process.cpuUsage()
      masks.kept(long)
      const { user, system } = process.cpuUsage(started)
      expect((user + system) / 1_000, text).toBeLessThan(5_000)
    }
  })
})
