/** What a bundle has to be before any of it is taken over, and the bounds that hold on the way (ST4). */
import { gzipSync } from "node:zlib"
import { Effect } from "effect"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import type { Fact } from "@holdfast/schema/event"
import { makeIntake } from "../../src/bundle/intake.ts"
import { facts, image, imageHash, lines, memoryStage, sealed, session, takeIn } from "./logs.ts"

const body = (await lines()).slice(0, -1)
const [header = "", created = "", blob = "", admitted = "", updated = ""] = body
const whole = (await lines()).join("")

const codeOf = (text: string | Uint8Array): Promise<string> =>
  takeIn([Buffer.from(text as string)]).then(
    () => "taken",
    (failure: { _tag?: string; code?: string }) =>
      failure._tag === "BundleRefused" ? `${failure.code}` : `${failure}`,
  )

test("[ST4] a bundle is lines of JSON with exactly these fields", () => {
  const hex = "[0-9a-f]{64}"
  expect(header).toBe(`{"bundle":"holdfast-session","version":1,"session":"ses_bundle"}\n`)
  expect(created).toMatch(/^\{"event":1,"type":"session.created","version":1,"time":1000,"data":\{"kind":/)
  expect(blob).toBe(`{"blob":"${imageHash}","size":20,"at":0,"data":"${image.toString("base64")}"}\n`)
  expect(whole.slice(body.join("").length)).toMatch(
    new RegExp(`^\\{"events":3,"blobs":1,"absent":\\[\\],"masked":0,"sha256":"${hex}"\\}\n$`),
  )
  expect(sealed(body)).toBe(whole)
})

test("[ST4] stages what it was given, whatever the pieces are, compressed or not", async () => {
  const plain = Buffer.from(whole)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(plain.length), { maxLength: 8 }),
      fc.boolean(),
      async (cuts, isZipped) => {
        const bytes = isZipped ? gzipSync(plain) : plain
        const places = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length]
        const staged = memoryStage()
        const intake = makeIntake(staged)
        for (const [index, from] of places.entries())
          await Effect.runPromise(intake.push(bytes.subarray(from, places[index + 1] ?? bytes.length)))
        const { session: taken, events, absent } = await Effect.runPromise(intake.end())
        expect([taken, events, absent, staged.text()]).toEqual([session, 3, [], whole])
      },
    ),
    { numRuns: 60 },
  )
})

const swapped = (text: string, from: string | RegExp, to: string): string => {
  const changed = text.replace(from, to)
  expect(changed).not.toBe(text)
  return changed
}

const otherHash = "0".repeat(64)

/** Each with the code that it is refused by. */
const hostile: Readonly<Record<string, readonly [code: string, text: string]>> = {
  "an empty file": ["damaged", ""],
  "something else": ["damaged", "hello\n"],
  "a wrong hash at the end": ["damaged", sealed(body, { sha256: otherHash })],
  "a wrong count at the end": ["damaged", sealed(body, { events: 4 })],
  "a changed byte": ["damaged", swapped(whole, "fine", "fime")],
  "a blob with other bytes": [
    "damaged",
    sealed(
      body.map((line) =>
        line.replace(image.toString("base64"), Buffer.from("not really a pictura").toString("base64")),
      ),
    ),
  ],
  "a blob of another length": ["damaged", sealed(body.map((line) => line.replace('"size":20', '"size":21')))],
  "a blob of 10 GB": ["damaged", sealed(body.map((line) => line.replace('"size":20', '"size":10000000000')))],
  "a blob that comes twice": ["damaged", sealed([header, created, blob, blob, admitted, updated])],
  "a blob that nothing names": ["misfit", sealed([header, blob, created, admitted, updated])],
  "a blob that is named and missing": ["misfit", sealed([header, created, admitted, updated])],
  "a blob that is absent and here": ["misfit", sealed(body, { absent: [imageHash] })],
  "events out of order": ["damaged", sealed([header, created, updated, blob, admitted])],
  "an event twice": ["damaged", sealed([header, created, created, blob, admitted, updated])],
  "no header": ["damaged", sealed(body.slice(1))],
  "two headers": ["damaged", sealed([header, ...body])],
  "lines behind the end": ["damaged", whole + updated],
  "two bundles": ["damaged", whole + whole],
  "an empty line": ["damaged", sealed([header, "\n", ...body.slice(1)])],
  "no events": ["damaged", sealed([header])],
  "a newer version": ["newer", swapped(whole, '"version":1', '"version":2')],
  "a fact of a newer version": [
    "newer",
    sealed(
      body.map((line) => line.replace('"session.updated","version":1', '"session.updated","version":2')),
    ),
  ],
  "a fact that nobody knows": [
    "newer",
    sealed(body.map((line) => line.replace("session.updated", "session.hacked"))),
  ],
  "a fact of the prototype": [
    "newer",
    sealed(body.map((line) => line.replace("session.updated", "__proto__"))),
  ],
  "a fact without its fields": ["damaged", sealed(body.map((line) => line.replace('"text":', '"words":')))],
  "a fact with a type in its data": [
    "damaged",
    sealed(body.map((line) => line.replace('"title":"A look"', '"type":"x"'))),
  ],
  "a field that nobody knows": [
    "damaged",
    sealed(body.map((line) => line.replace('"time":1002', '"time":1002,"path":"../../x"'))),
  ],
  "a header that names a path": ["damaged", swapped(whole, "ses_bundle", "../../etc/passwd")],
  "a blob that names a path": [
    "damaged",
    sealed(body.map((line) => line.replace(`"blob":"${imageHash}"`, '"blob":"../../../etc/passwd"'))),
  ],
  "a directory that leads elsewhere": [
    "misfit",
    sealed(body.map((line) => line.replace("/srv/here", "/srv/../etc"))),
  ],
  "a directory of Windows that leads elsewhere": [
    "misfit",
    sealed(body.map((line) => line.replace("/srv/here", String.raw`C:\\srv\\..\\etc`))),
  ],
  "a relative directory": ["misfit", sealed(body.map((line) => line.replace("/srv/here", "work/here")))],
  "a directory with a NUL": [
    "misfit",
    sealed(body.map((line) => line.replace("/srv/here", "/srv/\\u0000here"))),
  ],
  "a project that leads elsewhere": [
    "misfit",
    sealed(body.map((line) => line.replace('"/srv"', '"/srv/./x"'))),
  ],
  "half a character in a prompt": ["misfit", sealed(body.map((line) => line.replace("fine", "\\ud800")))],
  "a Session that begins twice": ["misfit", sealed([...body, swapped(created, '"event":1', '"event":4')])],
  "the Session of a call": ["misfit", sealed(body.map((line) => line.replace('"primary"', '"child"')))],
  "deep nesting": [
    "damaged",
    sealed([...body.slice(0, -1), swapped(updated, '"A look"', `${"[".repeat(5_000)}${"]".repeat(5_000)}`)]),
  ],
  "a time before all times": [
    "damaged",
    sealed(body.map((line) => line.replace('"time":1002', '"time":-1'))),
  ],
}

for (const [name, [code, text]] of Object.entries(hostile))
  test(`[ST4] refuses ${name}`, async () => expect(await codeOf(text)).toBe(code))

test("[ST4] refuses bytes that are not UTF-8, and a compressed bundle that is cut or changed", async () => {
  const bytes = Buffer.from(whole)
  bytes[bytes.indexOf("fine")] = 0xff
  expect(await codeOf(bytes)).toBe("damaged")
  const zipped = gzipSync(whole)
  for (const cut of [3, 20, zipped.length - 1]) expect(await codeOf(zipped.subarray(0, cut))).toBe("damaged")
  zipped[zipped.length >> 1] = (zipped[zipped.length >> 1] ?? 0) ^ 0xff
  expect(await codeOf(zipped)).toBe("damaged")
})

test("[ST4] refuses a bundle that is cut anywhere", async () => {
  const bytes = Buffer.from(whole)
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), async (end) => {
      expect(await codeOf(bytes.subarray(0, end))).toBe("damaged")
    }),
    { numRuns: 60 },
  )
})

test("[ST4] refuses any one byte that is changed, but for how many events were masked, which is only told", async () => {
  const bytes = Buffer.from(whole)
  const masked = bytes.indexOf('"masked":0') + '"masked":'.length
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
      fc.pre(at !== masked)
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ flip
      expect(await codeOf(changed)).not.toBe("taken")
    }),
    { numRuns: 200 },
  )
})

test("[ST4] 10 GB of zeros are refused on the way, in little memory", async () => {
  const megabytes = 64
  const zipped = gzipSync(Buffer.alloc(megabytes * 1_048_576), { level: 9 })
  // One behind another they are one file, which expands to 10 GB.
  const pieces = Array.from({ length: (10 * 1_024) / megabytes }, () => zipped)
  const intake = makeIntake(memoryStage())
  let pushed = 0
  const pushing = Effect.forEach(pieces, (piece) =>
    Effect.tap(intake.push(piece), () => Effect.sync(() => pushed++)),
  )
  const before = process.memoryUsage().rss
  const failure = await Effect.runPromise(Effect.flip(pushing))
  expect(failure).toMatchObject({ _tag: "BundleRefused", code: "too_large" })
  expect(pushed).toBe(0)
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1_048_576)
})

test("[ST4] a bundle is refused once it expands to more than it may, in whatever pieces it comes", async () => {
  const bytes = Buffer.from(whole)
  const limits = { bytesMax: bytes.length, lineBytesMax: 10_000 }
  const tight = { ...limits, bytesMax: bytes.length - 1 }
  const pieces = Array.from({ length: Math.ceil(bytes.length / 100) }, (_, at) =>
    bytes.subarray(at * 100, (at + 1) * 100),
  )
  for (const given of [[gzipSync(whole)], pieces]) {
    await expect(takeIn(given, tight)).rejects.toMatchObject({ code: "too_large" })
    await expect(takeIn(given, limits)).resolves.toMatchObject({ events: 3 })
  }
})

test("[AU1] a known secret never leaves: events are masked, and a blob that holds one stays behind", async () => {
  const secret = "picture"
  const told: Fact = { type: "session.updated", title: `The ${secret} is here` }
  const found = await lines([...facts, told], (text) =>
    text.replaceAll(secret, "⟦secret:credential:00000000⟧"),
  )
  expect(found.join("")).not.toContain(secret)
  expect(found.join("")).not.toContain(image.toString("base64"))
  expect(JSON.parse(found.at(-1) ?? "")).toMatchObject({ masked: 1, absent: [imageHash], blobs: 0 })
  await expect(takeIn([Buffer.from(found.join(""))])).resolves.toMatchObject({
    masked: 1,
    absent: [imageHash],
  })
})
