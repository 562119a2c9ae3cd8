/** The settings in force, where each comes from, and that nothing secret is among them. */
import { Effect, Redacted, Result } from "effect"
import { describe, expect, test } from "vitest"
import { Schema } from "effect"
import { Configuration } from "@holdfast/schema/instance/configuration"
import {
  decodeUserFile,
  makeConfigured,
  mergeSettings,
  noSettings,
  type Settings,
} from "../../src/config/index.ts"
import { noCatalog } from "../../src/config/fetched-catalog.ts"
import type { FileContent } from "../../src/instructions/index.ts"

const secret = "sk-very-secret-0123456789"
const limit = { context: 100_000, output: 4_096 }
const local = { wire: "openai-chat", baseUrl: "http://127.0.0.1:1/v1", models: { small: { limit } } }

const userText = `{
  "model": "local/small",
  "timeZone": "Europe/Paris",
  "providers": {
    "local": ${JSON.stringify({ ...local, apiKey: secret })}
  }
}`

const environment = { ANTHROPIC_API_KEY: secret }

const configure = (
  options: { readonly files?: Readonly<Record<string, string>>; readonly program?: Settings } = {},
) => {
  const { files = { "/config/holdfast.jsonc": userText }, program = noSettings } = options
  const user = Result.getOrThrow(decodeUserFile("/config/holdfast.jsonc", userText, environment))
  const key = { kind: "variable", name: "ANTHROPIC_API_KEY" } as const
  const anthropic = {
    wire: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    key,
    models: new Map(),
  } as const
  const provided = { ...noSettings, providers: new Map([["anthropic", anthropic]]) }
  return makeConfigured({
    settings: mergeSettings(provided, user, program),
    environment,
    catalog: noCatalog,
    configDirectory: "/config",
    disableProject: false,
    readFile: (path): Effect.Effect<FileContent> =>
      Effect.succeed(files[path] === undefined ? { kind: "missing" } : { kind: "text", text: files[path] }),
  })
}

const read = (options?: Parameters<typeof configure>[0]) =>
  Effect.runPromise(configure(options).configuration("/project"))

const user = { kind: "user", file: "/config/holdfast.jsonc" } as const

describe("[CF1] the configuration in force", () => {
  test("names the file and line of each value, and of what nobody set, nothing", async () => {
    expect(await read()).toMatchObject({
      model: { value: "local/small", from: { ...user, line: 2 } },
      timeZone: { value: "Europe/Paris", from: { ...user, line: 3 } },
      onRestart: { value: "settle", from: null },
      budget: { value: { tokens: null, money: null }, from: null },
      fallback: { value: [], from: null },
      titleModel: { value: null, from: null },
      maskShapes: { value: true, from: null },
      catalogUrl: { value: null, from: null },
      providers: [
        { name: "anthropic", key: "given", keyFrom: "ANTHROPIC_API_KEY", from: { kind: "environment" } },
        { name: "local", key: "given", keyFrom: "the file", models: ["small"], from: { ...user, line: 5 } },
      ],
      problems: [],
    })
  })

  test("lets the project choose the model", async () => {
    const files = {
      "/config/holdfast.jsonc": userText,
      "/project/holdfast.json": `{ "model": "anthropic/claude-sonnet-4-6" }`,
    }
    const { model } = await read({ files })
    expect(model).toEqual({
      value: "anthropic/claude-sonnet-4-6",
      from: { kind: "project", file: "/project/holdfast.json", line: 1 },
    })
  })

  test("[SE3] tells the embedding model of the project, where it may choose it", async () => {
    const program = { ...noSettings, search: { projectModels: [{ provider: "own", model: "small" }] } }
    const asking = (embedding: string) =>
      read({ program, files: { "/project/holdfast.json": JSON.stringify({ search: { embedding } }) } })
    expect((await asking("own/small")).search).toMatchObject({
      value: { embedding: "own/small" },
      from: { kind: "project" },
    })
    expect((await asking("own/large")).search).toMatchObject({
      value: { embedding: "local" },
      from: { kind: "program" },
    })
  })

  test("tells what the program set, and what a file says otherwise by now, as the program's", async () => {
    const program = { ...noSettings, onRestart: "continue" } as const
    const files = { "/config/holdfast.jsonc": userText.replace("Europe/Paris", "Europe/Rome") }
    const { onRestart, timeZone } = await read({ files, program })
    const from = { kind: "program", file: null, line: 0 }
    expect([onRestart, timeZone]).toEqual([
      { value: "continue", from },
      { value: "Europe/Paris", from },
    ])
  })

  test("names a model that is not configured", async () => {
    const program = { ...noSettings, model: { provider: "nobody", model: "x" } }
    expect((await read({ program })).problems).toEqual([expect.stringContaining("nobody/x")])
  })

  test("[AU1] holds no key, no options, and of an address only where it leads", async () => {
    const providers = new Map([
      [
        "odd",
        {
          wire: "openai-chat",
          baseUrl: `https://me:${secret}@api.example.com/v1?key=${secret}`,
          key: { kind: "value", value: Redacted.make(secret) },
          options: { generation: {}, model: {}, body: { token: secret } },
          models: new Map(),
        } as const,
      ],
    ])
    const catalogUrl = `https://me:${secret}@example.com/api.json`
    const configuration = await read({ program: { ...noSettings, providers, catalogUrl } })
    expect(JSON.stringify(configuration)).not.toContain(secret)
    expect(configuration.providers.find(({ name }) => name === "odd")?.baseUrl).toBe(
      "https://api.example.com/v1",
    )
    expect(configuration.catalogUrl.value).toBe("https://example.com/api.json")
    expect(Schema.is(Configuration)(configuration)).toBe(true)
  })
})
