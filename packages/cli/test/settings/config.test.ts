/** `holdfast config`: what holds, where it comes from, and how it is changed. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runCommand } from "../terminal.ts"

const secret = "sk-very-secret-0123456789"

async function makePlace() {
  const root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-config-")))
  const environment = { HOLDFAST_CONFIG_DIR: join(root, "config"), HOLDFAST_DATA_DIR: join(root, "data") }
  const project = join(root, "project")
  await mkdir(join(project, ".git"), { recursive: true })
  await mkdir(join(root, "config"))
  return {
    project,
    run: (...argv: readonly string[]) => runCommand(argv, { directory: project, environment }),
    configure: (text: string) => writeFile(join(root, "config/holdfast.jsonc"), text),
    file: join(root, "config/holdfast.jsonc"),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

const local = `"local": { "wire": "openai-chat", "baseUrl": "http://127.0.0.1:1", "apiKey": "${secret}", "models": { "small": { "limit": { "context": 5000, "output": 500 } } } }`

test("[CF1 AU1] shows every value with its file and line, and no secret", async () => {
  await using place = await makePlace()
  await place.configure(
    `{\n  "providers": {\n    ${local}\n  },\n  "budget": { "money": 5 },\n  "timezone": "UTC",\n  "permissions": ["deny bash(git push)"],\n  "maskShapes": false,\n  "recall": { "threshold": 0.7 }\n}`,
  )
  await writeFile(
    join(place.project, "holdfast.json"),
    '{ "model": "local/small", "permissions": ["ask write"] }',
  )
  const { code, out, err } = await place.run("config")
  expect(code).toBe(0)
  expect(out.replaceAll(/ {2,}/g, " | ").split("\n")).toEqual([
    "setting | value | from",
    `providers.local | openai-chat at http://127.0.0.1:1, key from the file, 1 model | ${place.file}:3`,
    `model | local/small | ${place.project}/holdfast.json:1`,
    "fallback | none | default",
    "titleModel | a small model of the Session's provider, where one is known; else the first line is the title | default",
    "historian | the built-in historian, which needs no model | default",
    "dreamer.model | no model | default",
    "dreamer.schedule | always | default",
    "sidekick | nobody; the turn waits for 30 seconds | default",
    `maskShapes | false | ${place.file}:8`,
    "onRestart | settle | default",
    "budget.tokens | no limit | default",
    `budget.money | 5 | ${place.file}:5`,
    "cache.lifetime | auto | default",
    "cache.keepWarm | off | default",
    "cost.askAbove | nobody is asked | default",
    "search.embedding | local | default",
    "search.chunkCharacters | 1000 | default",
    "search.hint | true | default",
    `recall.threshold | 0.7 | ${place.file}:9`,
    "recall.docs | ARCHITECTURE.md, STRUCTURE.md | default",
    "recall.textCompression | false | default",
    `permissions | deny bash(git push), ask write | ${place.file}:7`,
    "timeZone | that of the host | default",
    "toolOutputDays | 7 | default",
    "webfetchPrivateHosts | none | default",
    "instructions | none | default",
    "catalogUrl | https://models.dev/api.json | default",
    "",
  ])
  expect(err).toBe(
    `Warning: ${place.file}:6: timezone is not a setting. Did you mean timeZone? It is left out.\n`,
  )
  const { out: json } = await place.run("config", "--json")
  expect(JSON.parse(json)).toMatchObject({ budget: { value: { money: 5 }, from: { line: 5 } } })
  expect(out + json).not.toContain(secret)
})

test("[CF1] shows what it can of a file that cannot be used, and says what is wrong", async () => {
  await using place = await makePlace()
  await place.configure('{\n  "model": 7\n}')
  const { code, out, err } = await place.run("config")
  expect([code, err]).toEqual([2, expect.stringContaining(`${place.file}:2: model must be`) as string])
  expect(out).toContain("onRestart")
})

test("[CF1] a bad value that does no harm is warned of, and the work goes on", async () => {
  await using place = await makePlace()
  await place.configure('{\n  "onRestart": "explode"\n}')
  const { code, out, err } = await place.run("run", "Hello.")
  expect([code, out]).toEqual([0, expect.stringContaining("Session ses_") as string])
  expect(err).toContain(`Warning: ${place.file}:2: onRestart must be "settle" or "continue".`)
})

test("[CF1] what a project sets in vain is told to whoever works there", async () => {
  await using place = await makePlace()
  const file = join(place.project, "holdfast.jsonc")
  await writeFile(file, '{\n  "onRestart": "continue"\n}')
  const { code, err } = await place.run("run", "Hello.")
  expect([code, err]).toEqual([
    0,
    expect.stringContaining(`Warning: ${file}:2: onRestart cannot be set by a project`) as string,
  ])
})

test("[CF1] set writes one value into the user's file or the project's, and keeps comments", async () => {
  await using place = await makePlace()
  await place.configure('{\n  // mine\n  "timeZone": "UTC"\n}\n')
  expect(await place.run("config", "set", "budget.money", "2.5")).toMatchObject({
    code: 0,
    out: `budget.money is set in ${place.file}.\n`,
  })
  expect(await readFile(place.file, "utf8")).toBe(
    '{\n  // mine\n  "timeZone": "UTC",\n  "budget": {\n    "money": 2.5\n  }\n}\n',
  )
  expect((await place.run("config", "set", "--project", "model", "a/b")).code).toBe(0)
  expect(await readFile(join(place.project, "holdfast.jsonc"), "utf8")).toBe('{\n  "model": "a/b"\n}\n')
  const refused = await place.run("config", "set", "budget.money", "much")
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("budget.money must be") as string])
})

test("[CF1] unset of what is not set says so, with and without a file", async () => {
  await using place = await makePlace()
  const untouched = { code: 0, out: "cost.askAbove was not set, so nothing was changed.\n", err: "" }
  expect(await place.run("config", "unset", "cost.askAbove")).toEqual(untouched)
  await place.configure("// mine\n")
  expect(await place.run("config", "unset", "cost.askAbove")).toEqual(untouched)
  await place.configure('{\n  "cost": { "askAbove": 1 }\n}\n')
  expect(await place.run("config", "unset", "cost.askAbove")).toMatchObject({ code: 0, err: "" })
  expect(await readFile(place.file, "utf8")).not.toContain("cost")
})

test("[CF1] the schema is printed for editors", async () => {
  await using place = await makePlace()
  const { code, out } = await place.run("config", "schema")
  expect([code, Object.keys((JSON.parse(out) as { properties: object }).properties)]).toEqual([
    0,
    expect.arrayContaining(["$schema", "providers", "budget"]) as string[],
  ])
})

test("[HI8 CF1] a historian that no provider knows is told when it is set, and by each command until it is mended", async () => {
  await using place = await makePlace()
  await place.configure(`{ "providers": { ${local} } }`)
  const told =
    'Warning: "historian.model" names nope/y. There is no provider nope. Configured: local/small. It is passed over; where no other model is named there, the built-in historian writes the history.\n'
  expect(await place.run("config", "set", "historian.model", "nope/y")).toMatchObject({ code: 0, err: told })
  expect((await place.run("sessions", "--no-server")).err).toBe(told)
  expect(await place.run("config", "set", "budget.tokens", "5")).toMatchObject({ code: 0, err: "" })
  expect(await place.run("config", "set", "historian.model", "local/small")).toMatchObject({
    code: 0,
    err: "",
  })
  expect((await place.run("sessions", "--no-server")).err).toBe("")
})

test("[CF1] names the file of each part of a setting, and none for a part that no file sets or that was refused", async () => {
  await using place = await makePlace()
  await place.configure('{\n  "recall": {\n    "docs": ["A.md"]\n  },\n  "search": { "hint": false }\n}')
  await writeFile(
    join(place.project, "holdfast.json"),
    '{\n  "recall": {\n    "threshold": 3,\n    "textCompression": true\n  }\n}',
  )
  const { out } = await place.run("config")
  const project = join(place.project, "holdfast.json")
  const parts = out
    .split("\n")
    .filter((line) => /^(recall|search)\./.test(line))
    .map((line) => line.split(/ {2,}/))
  expect(Object.fromEntries(parts.map(([name, , from]) => [name, from]))).toMatchObject({
    "recall.threshold": "default",
    "recall.docs": `${place.file}:3`,
    "recall.textCompression": `${project}:4`,
    "search.embedding": "default",
    "search.hint": `${place.file}:5`,
  })
})
