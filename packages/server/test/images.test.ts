/** Images that come with prompts and go out by their handles, and messages that are taken out. */
import { createHash } from "node:crypto"
import { Deferred, Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import { openSurface, type Surface, type SurfaceOptions } from "./surface.ts"

/** PNG, 3 × 2. */
const data =
  "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEElEQVQImWMQiToBQQxwFgBEhAdFhXuAAQAAAABJRU5ErkJggg=="
const bytes = Buffer.from(data, "base64")
const hash = createHash("sha256").update(bytes).digest("hex")
const handle = `media:${hash.slice(0, 12)}`

const opened: Surface[] = []
const open = async (options?: SurfaceOptions) => {
  const surface = await openSurface(options)
  opened.push(surface)
  const id: string = (await surface.post("/api/session", {})).json.id
  const session = `/api/session/${id}`
  return { surface, id, session, send: (payload: object) => surface.post(`${session}/prompt`, payload) }
}
afterEach(async () => {
  for (const surface of opened.splice(0)) {
    expect(surface.defects).toEqual([])
    await surface.close()
  }
})

test("[LL7] an image that comes with a prompt stands in its message, and can be fetched by its handle", async () => {
  const { surface, id, session, send } = await open()
  const answer = await send({ text: "What is this?", images: [{ data, name: "../a/blue ü.png" }, { data }] })
  expect([answer.status, answer.json.state]).toEqual([200, "pending"])
  await Effect.runPromise(surface.runtime.settled(id))
  const media = { hash, mediaType: "image/png", bytes: bytes.length, width: 3, height: 2 }
  const [message] = (await surface.get(`${session}/message`)).json.items
  expect(message.images).toEqual([
    { ...media, name: "blue ü.png" },
    { ...media, name: null },
  ])

  const call = { headers: { authorization: "Bearer token-for-tests" } }
  const request = new Request(`http://localhost:4096${session}/image/${encodeURIComponent(handle)}`, call)
  const image = await surface.handler(request)
  expect(image.status).toBe(200)
  expect(Object.fromEntries(image.headers)).toEqual({
    "content-type": "image/png",
    "content-length": String(bytes.length),
    etag: `"${hash}"`,
    "cache-control": "private, max-age=31536000, immutable",
    vary: "authorization",
    "x-content-type-options": "nosniff",
    "holdfast-media": encodeURIComponent(JSON.stringify({ ...media, name: "blue ü.png" })),
  })
  expect(Buffer.from(await image.arrayBuffer()).equals(bytes)).toBe(true)
})

test("a caller that has the image already is told so", async () => {
  const { surface, session, send } = await open()
  await send({ text: "Look.", images: [{ data }] })
  await surface.get(`${session}/wait`)
  const cases: readonly (readonly [tag: string, status: number])[] = [
    [`"${hash}"`, 304],
    [`W/"${hash}"`, 304],
    [`"other", "${hash}"`, 304],
    ["*", 304],
    [`"other"`, 200],
    [hash, 200],
  ]
  for (const [tag, status] of cases) {
    const headers = { "if-none-match": tag }
    const answer = await surface.call(`${session}/image/${handle}`, { headers })
    expect([tag, answer.status, answer.text === ""]).toEqual([tag, status, status === 304])
  }
})

test("[AU1 LL7] where pages are allowed, a cache tells images apart by token and by page", async () => {
  const { surface, session, send } = await open({ handler: { allowedOrigins: ["https://app.example"] } })
  await send({ text: "Look.", images: [{ data }] })
  await surface.get(`${session}/wait`)
  const answer = await surface.call(`${session}/image/${handle}`)
  expect([answer.status, answer.headers.get("vary")]).toEqual([200, "authorization, origin"])
})

test("[PG2] a handle of nothing, and an image of another Session, are not there", async () => {
  const { surface, session, send } = await open()
  await send({ text: "Look.", images: [{ data }] })
  await surface.get(`${session}/wait`)
  const other: string = (await surface.post("/api/session", {})).json.id
  const paths = ["media:000000000000", "media:", hash, handle.toUpperCase(), handle.slice(0, -1)]
    .map((unknown) => `${session}/image/${unknown}`)
    .concat(`/api/session/${other}/image/${handle}`)
  for (const path of paths) {
    const answer = await surface.get(path)
    expect([path, answer.status, answer.json?._tag]).toEqual([path, 404, "ImageNotFound"])
  }
})

test.each([
  ["text in its place", "not base64!"],
  ["a cut end", data.slice(0, -1)],
  ["a foreign character", `${data.slice(0, 8)}\n${data.slice(9)}`],
  ["an end in the middle", `${data.slice(0, 8)}=${data.slice(9)}`],
])("data with %s is refused with its place", async (_, bad) => {
  const { surface, send } = await open()
  const answer = await send({ text: "Look.", images: [{ data }, { data: bad }] })
  expect([answer.status, answer.json]).toEqual([
    400,
    {
      _tag: "InvalidRequest",
      part: "payload",
      message: 'The field "images[1].data" must be base64.',
    },
  ])
  expect((await surface.get("/api/session")).json.items[0].status.pending).toBe(0)
})

test.each([
  ["that is none", [{ data: btoa("hello"), name: "hello.png" }], 'The image "hello.png" is no image'],
  ["beyond the twentieth", Array.from({ length: 21 }, () => ({ data })), "brings 21 images; the limit is 20"],
])("[LL7] an image %s refuses the prompt, and nothing is admitted", async (_, images, said) => {
  const { surface, session, send } = await open()
  const answer = await send({ text: "Look.", images })
  expect([answer.status, answer.json._tag, answer.json.code]).toEqual([400, "PromptRefused", "image"])
  expect(answer.json.message).toContain(said)
  expect((await surface.get(session)).json).toMatchObject({ seq: 1, status: { pending: 0 } })
})

test("two requests with images are held at once, and short ones do not wait for them", async () => {
  const released = Deferred.makeUnsafe<void>()
  const held = Deferred.makeUnsafe<void>()
  const reached: string[] = []
  const { surface, session } = await open({
    host: (runtime) => ({
      ...runtime,
      prompt: (input) =>
        Effect.gen(function* () {
          if (reached.push(input.text) === 2) yield* Deferred.succeed(held, undefined)
          if (input.text === "long") yield* Deferred.await(released)
          return yield* runtime.prompt({ ...input, resume: false })
        }),
    }),
  })
  // Without a length, a request may be as long as any.
  const send = (text: string, headers = {}) =>
    surface.call(`${session}/prompt`, { method: "POST", payload: { text }, headers })
  const long = [send("long"), send("long"), send("long")]
  await Effect.runPromise(Deferred.await(held))
  expect((await send("short", { "content-length": "16" })).status).toBe(200)
  expect(reached).toEqual(["long", "long", "short"])
  await Effect.runPromise(Deferred.succeed(released, undefined))
  expect((await Promise.all(long)).map(({ status }) => status)).toEqual([200, 200, 200])
})

test("[LL7] a message is quarantined once, stays stored, and leaves the next request", async () => {
  const { surface, session, send } = await open()
  await send({ text: "Look.", images: [{ data }] })
  await surface.get(`${session}/wait`)
  const [{ id: message }] = (await surface.get(`${session}/message`)).json.items
  expect((await surface.get(`${session}/request`)).json.images).toBe(1)
  const { seq } = (await surface.get(session)).json
  for (let times = 0; times < 2; times++) {
    expect((await surface.post(`${session}/message/${message}/quarantine`)).status).toBe(204)
    expect((await surface.get(session)).json.seq).toBe(seq + 1)
  }
  expect((await surface.get(`${session}/message/${message}`)).json).toMatchObject({
    text: "Look.",
    quarantined: seq + 1,
  })
  expect((await surface.get(`${session}/request`)).json.images).toBe(0)
  expect((await surface.get(`${session}/image/${handle}`)).status).toBe(200)
})

test("[LL7] a message is taken out of a Session at work, and the next request is without it", async () => {
  const reached = Deferred.makeUnsafe<void>()
  const released = Deferred.makeUnsafe<void>()
  const beforeAnswer = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(released))
  const { surface, id, session, send } = await open({ beforeAnswer })
  await send({ text: "Look.", images: [{ data }] })
  await Effect.runPromise(Deferred.await(reached))
  const [{ id: message }] = (await surface.get(`${session}/message`)).json.items
  const answer = await surface.post(`${session}/message/${message}/quarantine`)
  expect(answer.status).toBe(204)
  await Effect.runPromise(Deferred.succeed(released, undefined))
  await Effect.runPromise(surface.runtime.settled(id))
  const { json } = await surface.get(`${session}/request`)
  expect([json.quarantined, json.images]).toEqual([1, 0])
  expect((await surface.post(`${session}/message/${message}/quarantine`)).status).toBe(204)
})
