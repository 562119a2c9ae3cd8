/** Images through the whole runtime: from a prompt or a tool to the bytes that a provider gets (LL7). */
import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import { handleOf } from "@holdfast/schema/media"
import { imagesShownMax } from "@holdfast/recall"
import { defineTool } from "@holdfast/core/tools/index"
import { Schema } from "effect"
import { Stage, type StageOptions } from "../harness.ts"
import { png, storedAs } from "../../stage/png.ts"

let stage: Stage
const open = (options: StageOptions = {}) => {
  stage = new Stage(options)
  return stage.create()
}
afterEach(() => stage.close())

const given = (width: number, height = 10) => ({ bytes: png(width, height), name: `${width}.png` })
const stored = (width: number) => storedAs(given(width))
const handle = (width: number): string => handleOf(stored(width).media)
/** Base64 of the images in a request, in order. */
const sentImages = (raw: string | undefined): readonly string[] =>
  [...(raw ?? "").matchAll(/"data":"([^"]+)"/g)].map(([, data]) => data ?? "")
const base64 = (width: number): string => Buffer.from(given(width).bytes).toString("base64")

/** Shows an image of the width it is asked for, or one of the Session by its handle. */
const showTool = defineTool({
  name: "show",
  description: "Shows an image.",
  inputSchema: { type: "object", properties: { width: { type: "integer" }, handle: { type: "string" } } },
  repeatable: true,
  input: Schema.Struct({ width: Schema.optionalKey(Schema.Int), handle: Schema.optionalKey(Schema.String) }),
  run: ({ width, handle: known }, { image }) =>
    Effect.gen(function* () {
      const found = known === undefined || image === undefined ? null : yield* image(known)
      const shown = width === undefined ? found : stored(width)
      return shown === null ? { text: "none" } : { text: "Here it is.", images: [shown] }
    }),
})
const calls = (input: { readonly width?: number; readonly handle?: string }) => ({
  blocks: [{ type: "tool_use" as const, id: "toolu_1", name: "show", input }],
})

test("[LL7] sends the image of a prompt, once admitted as a blob, in every later request", () => {
  const session = open()
  stage.converse(session, "What is this?", { images: [given(20)] })
  stage.converse(session, "And now?")
  expect(stage.sent.map(({ raw }) => sentImages(raw))).toEqual([[base64(20)], [base64(20)]])
  expect(stage.messages(session)).toMatchObject([
    { kind: "user", images: [{ width: 20, name: "20.png" }] },
    {},
    {},
    {},
  ])
  expect(stage.verdicts(session)).toEqual(["same", "same"])
  expect(stage.turns(session).map(({ started }) => started.break)).toEqual([null, null])
})

test("[LL7] rebuilds the exact bytes of a request with images, after a restart too", () => {
  const session = open()
  stage.converse(session, "What is this?", { images: [given(20)] })
  const [turn] = stage.turns(session)
  stage.restart()
  const sent = stage.ask((runtime) => runtime.sentRequest(session, turn?.started.turn ?? ""))
  expect(sent.body).toBe(stage.sent[0]?.raw)
  expect(sent.body?.length).toBe(turn?.started.request.bytes)
})

test("[LL7] shows what a tool showed beside its words, and again by its handle", () => {
  const session = open({ tools: [showTool] })
  stage.replies.push(calls({ width: 30 }))
  stage.converse(session, "Look.")
  stage.replies.push(calls({ handle: handle(30) }), { blocks: [{ type: "text", text: "Seen." }] })
  stage.converse(session, "Look again.")
  expect(sentImages(stage.sent.at(-1)?.raw)).toEqual([base64(30), base64(30)])
  expect(stage.ask((runtime) => runtime.image(session, handle(30)))).toEqual(stored(30))
  expect(stage.failure((runtime) => runtime.image(session, "media:0123456789ab"))).toMatchObject({
    _tag: "ImageNotFound",
  })
  expect(stage.verdicts(session)).toEqual(["same", "same", "same", "same"])
})

test("[LL7] names the older images, many at once, when a request would hold too many", () => {
  const session = open()
  for (let n = 0; n <= imagesShownMax; n++) stage.converse(session, `Image ${n}`, { images: [given(20 + n)] })
  const [before, after] = stage.sent.slice(-2)
  expect(sentImages(before?.raw)).toHaveLength(imagesShownMax)
  expect(sentImages(after?.raw)).toHaveLength(imagesShownMax / 2)
  expect(after?.raw).toContain(handle(20))
  const passes = stage.facts(session, "pass.applied").filter(({ reason }) => reason === "cut_images")
  expect(passes).toMatchObject([{ pass: "refresh", ops: [{ op: "name-images" }] }])
  expect(stage.turns(session).at(-1)?.started.break).toMatchObject({ reason: "cut_images" })
  stage.restart()
  stage.converse(session, "Go on")
  expect(sentImages(stage.sent.at(-1)?.raw)).toEqual(sentImages(after?.raw))
  expect(stage.turns(session).at(-1)?.started.break).toBeNull()
  expect(new Set(stage.verdicts(session))).toEqual(new Set(["same"]))
})

test("[LL7] refuses more images than fit together before anything is admitted", () => {
  const session = open()
  const images = Array.from({ length: imagesShownMax + 1 }, () => given(20))
  expect(
    stage.failure((runtime) => runtime.prompt({ sessionID: session, text: "All", images })),
  ).toMatchObject({
    _tag: "PromptRefused",
    code: "image",
  })
  expect(stage.events(session)).toHaveLength(1)
})

test("[LL7] one poisoned record is taken out by command, and the Session lives on", () => {
  const session = open()
  stage.converse(session, "Hello")
  // Refused by the provider for as long as it is in a request.
  const poison = { bytes: Buffer.concat([png(20, 10), Buffer.from("tail")]).fill(0, 60), name: "bad.png" }
  const failed = stage.converse(session, "Look at this", { images: [poison] })
  expect(failed).toMatchObject({ kind: "failed", reason: { code: "invalid_request" } })
  expect(stage.converse(session, "Never mind")).toMatchObject({ kind: "failed" })
  const message = stage.messages(session).find((one) => one.kind === "user" && one.images !== undefined)
  expect(stage.failure((runtime) => runtime.quarantine(session, "msg_nobody"))).toMatchObject({
    _tag: "MessageNotFound",
  })
  stage.ask((runtime) => runtime.quarantine(session, message?.id ?? ""))
  expect(stage.resume(session)).toMatchObject({ kind: "done" })
  expect(sentImages(stage.sent.at(-1)?.raw)).toEqual([])
  expect(stage.turns(session).at(-1)?.started.break).toMatchObject({ reason: "quarantine" })
  expect(new Set(stage.verdicts(session))).toEqual(new Set(["same"]))
  expect(stage.messages(session).find(({ id }) => id === message?.id)).toMatchObject({
    text: "Look at this",
    quarantined: expect.any(Number),
  })
  stage.restart()
  stage.converse(session, "Still there?")
  expect(stage.turns(session).at(-1)?.started.break).toBeNull()
})

test("[LL7] an image that is gone from storage fails the turn in words, and can be taken out", () => {
  const session = open()
  stage.converse(session, "What is this?", { images: [given(20)] })
  stage.database?.prepare("DELETE FROM blob_ref WHERE hash = ?").run(stored(20).media.hash)
  stage.database?.prepare("DELETE FROM blob WHERE hash = ?").run(stored(20).media.hash)
  expect(stage.converse(session, "And?")).toMatchObject({
    kind: "failed",
    reason: { message: expect.stringContaining(handle(20)) },
  })
  stage.ask((runtime) => runtime.quarantine(session, stage.messages(session)[0]?.id ?? ""))
  expect(stage.resume(session)).toMatchObject({ kind: "done" })
})

test("[TU1] an image whose stored bytes have changed is not sent in its place", () => {
  const session = open()
  stage.converse(session, "What is this?", { images: [given(20)] })
  const harmed = Buffer.from(given(20).bytes).fill(1, 40, 41)
  stage.database?.prepare("UPDATE blob SET bytes = ? WHERE hash = ?").run(harmed, stored(20).media.hash)
  const sent = stage.sent.length
  expect(stage.converse(session, "And?")).toMatchObject({
    kind: "failed",
    reason: { message: expect.stringContaining(`${handle(20)} is damaged in storage`) },
  })
  expect(stage.sent).toHaveLength(sent)
})

/** A Session that a process left in the middle of a turn when it was killed, beside another that lives on. */
function abandoned() {
  const endless = { ...showTool, run: () => Effect.never }
  const session = open({ tools: [endless] })
  const living = stage.boot()
  const dying = stage.boot()
  stage.replies.push(calls({ width: 30 }))
  stage.prompt(session, "Look.")
  stage.until(() => stage.facts(session, "call.started").length > 0)
  stage.current = dying
  stage.kill()
  stage.current = living
  return session
}

test("[LL7 DR4] a message can be taken out although the process that led the Session was killed", () => {
  const session = abandoned()
  stage.ask((runtime) => runtime.quarantine(session, stage.messages(session)[0]?.id ?? ""))
  expect(stage.resume(session)).toMatchObject({ kind: "done" })
  expect(stage.facts(session, "call.settled")).toMatchObject([{ outcome: { state: "interrupted" } }])
  expect(new Set(stage.verdicts(session))).toEqual(new Set(["same"]))
})

test("[ST3 DR4] a Session can be deleted although the process that led it was killed", () => {
  const session = abandoned()
  stage.ask((runtime) => runtime.remove(session))
  expect(stage.failure((runtime) => runtime.get(session))).toMatchObject({ _tag: "SessionNotFound" })
})

test("[LL7] an image is found by its handle while its prompt still waits", () => {
  const session = open()
  stage.prompt(session, "Later.", { images: [given(20)], resume: false })
  expect(stage.ask((runtime) => runtime.image(session, handle(20)))).toEqual(stored(20))
})
