/** Images on the command line: sent with a prompt, shown in a line, fetched by handle; and quarantine. */
import { createHash } from "node:crypto"
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import {
  createProviderSim,
  listen,
  poisoned,
  scripted,
  type SimModel,
  textReply,
} from "@holdfast/provider-sim"
import { imageLine } from "../src/images/image-line.ts"
import { runHoldfast } from "../src/program.ts"
import { keptTerminal } from "./terminal.ts"

/** PNG, 3 × 2. */
const bytes = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEElEQVQImWMQiToBQQxwFgBEhAdFhXuAAQAAAABJRU5ErkJggg==",
  "base64",
)
const hash = createHash("sha256").update(bytes).digest("hex")
const handle = `media:${hash.slice(0, 12)}`
const line = `[image "blue.png" 3 × 2 ${handle}]`

const answering = scripted(() => textReply("Blue."))

interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly bytes: Buffer
}

/** A directory with a provider on loopback, an image, and commands that run in this process. */
async function makePlace(agent: SimModel = answering, images = true) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-images-")))
  const { url, close } = await listen(createProviderSim({ models: { agent } }))
  const models = { agent: { limit: { context: 100_000, output: 2_000 }, images } }
  const providers = { sim: { wire: "anthropic-messages", baseUrl: url, models } }
  await mkdir(join(root, "config"))
  await writeFile(join(root, "config", "holdfast.jsonc"), JSON.stringify({ providers, model: "sim/agent" }))
  await writeFile(join(root, "blue.png"), bytes)
  await writeFile(join(root, "text.png"), "hello")
  const environment = {
    HOLDFAST_CONFIG_DIR: join(root, "config"),
    HOLDFAST_DATA_DIR: join(root, "data"),
  }
  const run = async (argv: readonly string[], interactive = false): Promise<Said> => {
    let saved = Buffer.alloc(0)
    const { terminal, said } = keptTerminal({
      writeBytes: (written) => void (saved = Buffer.concat([saved, written])),
      interactive,
      directory: root,
      environment,
    })
    const code = await runHoldfast(argv, terminal)
    return { code, ...said, bytes: saved }
  }
  return {
    root,
    run,
    [Symbol.asyncDispose]: async () => {
      await close()
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

test("[LL7] an image goes with a run, is counted, fetched by its handle, and quarantined", async () => {
  await using place = await makePlace()
  const { run } = place
  const sent = await run(["run", "--image", "blue.png", "--image", "blue.png", "Which colour?"])
  expect([sent.code, sent.err]).toEqual([0, ""])
  expect(sent.out).toContain(`\n  ${line}\n  ${line}\n\nBlue.\n`)
  const session = /Session (ses_\w+)/.exec(sent.out)?.[1] ?? ""

  const saved = await run(["image", session, handle, "--out", "copy.png"])
  expect(saved).toMatchObject({ code: 0, out: `${line} is in copy.png.\n`, err: "" })
  expect((await readFile(join(place.root, "copy.png"))).equals(bytes)).toBe(true)
  const piped = await run(["image", session, handle])
  expect([piped.code, piped.out, piped.bytes.equals(bytes)]).toEqual([0, "", true])
  const known = await run(["image", session, handle, "--json"])
  expect(known.bytes.length).toBe(0)
  expect(JSON.parse(known.out)).toEqual({
    handle,
    hash,
    mediaType: "image/png",
    bytes: bytes.length,
    width: 3,
    height: 2,
    name: "blue.png",
    file: null,
  })

  const events = (await run(["run", "--session", session, "--json", "--image", "blue.png", "And this?"])).out
  const facts = events.split("\n").flatMap((text) => (text === "" ? [] : [JSON.parse(text).fact ?? {}]))
  const { message } = facts.find(({ type }) => type === "prompt.promoted")
  const taken = await run(["quarantine", session, message, "--json"])
  expect(JSON.parse(taken.out)).toMatchObject({
    id: message,
    text: "And this?",
    quarantined: expect.any(Number),
  })
  expect((await run(["window", session])).out).toMatch(/4 messages, 2 images, 1 quarantined/)
  const { out: content } = await run(["window", session, "--content"])
  expect(content.match(/^# .+$/gm)).toEqual(["# tools", "# system", "# agent", "# tail", "# settings"])
  expect(content).toContain(hash)
  expect(content).not.toContain("And this?")

  const cases: readonly (readonly [argv: readonly string[], said: string, interactive?: boolean])[] = [
    [["image", session, "media:000000000000"], `Session ${session} has no image media:000000000000.`],
    [["image", session, handle, "--out", "copy.png"], "copy.png exists already. Name another file."],
    [["image", session, handle], "A terminal cannot show an image. Name a file with --out", true],
    [["quarantine", session, "msg_none"], `Session ${session} has no message msg_none.`],
    [["quarantine", "ses_none", message], "There is no Session ses_none."],
  ]
  for (const [argv, said, interactive] of cases) {
    const answer = await run(argv, interactive)
    expect([argv, answer.code, answer.out]).toEqual([argv, 2, ""])
    expect(answer.err).toContain(said)
  }
})

test("[LL7] the failure of a refused image ends with the command that takes it out", async () => {
  await using place = await makePlace(poisoned(answering, { hash }))
  const refused = await place.run(["run", "--image", "blue.png", "Which colour?"])
  expect(refused.code).toBe(1)
  const [, session = "", message = ""] = /holdfast quarantine (ses_\w+) (msg_\w+)/.exec(refused.out) ?? []
  const again = await place.run(["resume", session])
  expect([again.code, again.out]).toEqual([1, expect.stringContaining(`quarantine ${session} ${message}`)])
  const taken = await place.run(["quarantine", session, message])
  expect([taken.code, taken.out]).toEqual([
    0,
    `Models do not read message ${message} any more; it stays stored.\nGo on with: holdfast resume ${session}\n`,
  ])
  const resumed = await place.run(["resume", session])
  expect([resumed.code, resumed.out]).toEqual([0, expect.stringContaining("Blue.")])
})

test("[LL7] a file that is missing, too large or no image ends a run before anything is kept", async () => {
  await using place = await makePlace()
  await writeFile(join(place.root, "huge.png"), Buffer.alloc(20 * 1_048_576 + 1))
  const cases: readonly (readonly [images: readonly string[], said: string])[] = [
    [["nowhere.png"], `There is no image ${join(place.root, "nowhere.png")}. Name another with --image.`],
    [["blue.png", "config"], "is no regular file. Name another with --image."],
    // A device or a pipe may never end; this one does, and is told by its kind all the same.
    [["/dev/null"], "The image /dev/null is no regular file. Name another with --image."],
    [["huge.png"], "has more than 20 MiB. Make it smaller and send it again."],
    [["blue.png", "text.png"], 'The image "text.png" is no image, whatever its name says.'],
    [Array.from({ length: 21 }, () => "blue.png"), "at most 20 images, and here are 21"],
  ]
  for (const [images, said] of cases) {
    const options = images.flatMap((image) => ["--image", image])
    const { code, err, out } = await place.run(["run", "--json", ...options, "Which colour?"])
    expect([images, code]).toEqual([images, 2])
    expect(err).toContain(said)
    expect(JSON.parse(out.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      type: "result",
      status: "failed",
      reason: { message: expect.stringContaining(said) },
    })
  }
  expect((await place.run(["sessions", "--json"])).out).toBe("")
})

test("[LL7 SS1] a Session that was there before a prompt was refused stays, with all that was said", async () => {
  await using place = await makePlace()
  const begun = await place.run(["run", "Which colour?"])
  const [session = ""] = /ses_\w+/.exec(begun.out) ?? []
  const refused = await place.run(["run", "--session", session, "--image", "text.png", "And this one?"])
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("is no image")])
  const shown = await place.run(["show", session])
  expect([shown.code, shown.out]).toEqual([0, expect.stringContaining("Blue.")])
})

test("a model that takes no images is told what they are called, and so is the person", async () => {
  await using place = await makePlace(answering, false)
  const { code, out } = await place.run(["run", "--image", "blue.png", "Which colour?"])
  expect([code, out.split("\n")[1]]).toEqual([
    0,
    'sim/agent takes no images: it is told what they are called. If it does take them, set "images": true for it in holdfast.jsonc.',
  ])
})

test.each([
  ["blue.png", '  [image "blue.png" 3 × 2 media:e734c9956cc0]'],
  [null, "  [image 3 × 2 media:e734c9956cc0]"],
  ['a"b\u001b[2J', String.raw`  [image "a\"b[2J" 3 × 2 media:e734c9956cc0]`],
])("an image called %j is this line", (name, shown) =>
  expect(imageLine({ hash, mediaType: "image/png", bytes: 9, width: 3, height: 2, name })).toBe(shown),
)
