/** What a configuration file may say, and which line is named when it says something else. */
import { Redacted, Result } from "effect"
import { describe, expect, test } from "vitest"
import { decodeUserFile, readProjectFile, readUserFile } from "../../src/config/decode.ts"
import { noSettings } from "../../src/config/settings.ts"

const file = "/config/holdfast.jsonc"
const secret = "sk-very-secret"

const valid = `{
  // Comments and trailing commas are fine.
  "providers": {
    "local": {
      "wire": "anthropic-messages",
      "baseUrl": "http://127.0.0.1:8080",
      "apiKey": "${secret}",
      "models": {
        "small": {
          "limit": { "context": 200000, "output": 8192 },
          "thinkingTokens": 2048,
          "systemRole": true,
          "price": { "input": 1, "output": 5, "cacheRead": 0.1, "cacheWrite": 1.25 },
        },
      },
    },
    "remote": {
      "wire": "anthropic-messages",
      "baseUrl": "https://example.com",
      "apiKeyEnv": "REMOTE_KEY",
      "models": { "big/one": { "limit": { "context": 1000000, "output": 64000 } } },
    },
    "anthropic": {},
  },
  "model": "remote/big/one",
  "titleModel": "local/small",
  "historian": { "model": "local/small", "fallback": ["remote/big/one"], "prompt": "Keep it short.", "editor": true },
  "maskShapes": false,
  "timeZone": "Europe/Paris",
}`

/** The text with one line replaced, and the number of that line. */
function withLine(pattern: string, replacement: string): { readonly text: string; readonly line: number } {
  const lines = valid.split("\n")
  const at = lines.findIndex((line) => line.includes(pattern))
  return { text: lines.with(at, replacement).join("\n"), line: at + 1 }
}

const failureOf = (text: string) => {
  const decoded = decodeUserFile(file, text)
  if (Result.isSuccess(decoded)) throw new Error("It was accepted.")
  return decoded.failure
}

test("every setting of the user's file is read", () => {
  const settings = Result.getOrThrow(decodeUserFile(file, valid))
  const local = settings.providers.get("local")
  expect(settings.model).toEqual({ provider: "remote", model: "big/one" })
  expect(settings.titleModel).toEqual({ provider: "local", model: "small" })
  expect(settings.historian).toEqual({
    model: { provider: "local", model: "small" },
    fallback: [{ provider: "remote", model: "big/one" }],
    prompt: "Keep it short.",
    editor: true,
  })
  expect(settings.maskShapes).toBe(false)
  expect(settings.timeZone).toBe("Europe/Paris")
  expect(local?.baseUrl).toBe("http://127.0.0.1:8080")
  expect(local?.key.kind === "value" && Redacted.value(local.key.value)).toBe(secret)
  expect(local?.models.get("small")).toEqual({
    contextTokens: 200_000,
    outputTokens: 8_192,
    thinkingTokens: 2_048,
    systemRole: true,
    price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  })
  expect(settings.providers.get("remote")?.key).toEqual({ kind: "variable", name: "REMOTE_KEY" })
  expect(settings.providers.get("anthropic")).toEqual({
    wire: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    key: { kind: "variable", name: "ANTHROPIC_API_KEY" },
    models: new Map(),
  })
})

test("settings never print a key", () => {
  const settings = Result.getOrThrow(decodeUserFile(file, valid))
  const { key } = settings.providers.get("local") ?? {}
  expect(`${JSON.stringify(key)} ${String(key?.kind === "value" ? key.value : "")}`).not.toContain(secret)
})

describe("a key that is pasted where its place should stand", () => {
  const keys = [
    "sk-ant-api03-ABCdef0123456789",
    "gsk_short1",
    "AIzaSyA0123456789012345678901234567890",
    "sk-x",
  ]
  const places = ["apiKeyEnv", "apiKeyFile", "apiKeyCommand"] as const
  test.each(places.flatMap((place) => keys.map((key) => [place, key] as const)))(
    "[AU1] as %s is refused and not repeated: %s",
    (place, key) => {
      const value = JSON.stringify(place === "apiKeyCommand" ? [key] : key)
      const { message } = failureOf(`{ "providers": { "anthropic": { "${place}": ${value} } } }`)
      expect(message).toContain(`${place} must be`)
      expect(message).not.toContain(key)
    },
  )
  test.each([
    ["apiKeyEnv", '"MY_COMPANYS_PRODUCTION_ANTHROPIC_API_KEY_2026"'],
    ["apiKeyEnv", '"lower_case_key"'],
    ["apiKeyFile", '"/run/secrets/of-the-production-cluster/anthropic-Key2"'],
    ["apiKeyCommand", '["vault", "read", "the-key-of-our-anthropic-account-in-production"]'],
  ])("[AU1] is told from a long name: %s %s", (place, value) =>
    expect(
      Result.isSuccess(decodeUserFile(file, `{ "providers": { "anthropic": { "${place}": ${value} } } }`)),
    ).toBe(true),
  )
})

describe("a fault names its line and what to do", () => {
  test.each([
    ["a comma that is missing", '      "baseUrl"', '      "baseUrl" "http://x",', "colon is missing"],
    ["a word without quotes", '"timeZone"', "  timeZone: 1,", "quotes"],
    [
      "an unknown key at the top",
      '"timeZone"',
      '  "timezone": "Europe/Paris"',
      "timezone is not a setting. Did you mean timeZone? It is left out.",
    ],
    [
      "a host with a path",
      '"timeZone"',
      '  "webfetchPrivateHosts": ["wiki.internal/start"]',
      'webfetchPrivateHosts names "wiki.internal/start", which is no host.',
    ],
    ["a budget that is no object", '"timeZone"', '  "budget": 5', "budget must be an object"],
    [
      "a budget of no tokens",
      '"timeZone"',
      '  "budget": { "tokens": 0 }',
      "budget.tokens must be a whole number above 0.",
    ],
    [
      "a budget of no money",
      '"timeZone"',
      '  "budget": { "money": 0 }',
      "budget.money must be above 0, in dollars.",
    ],
    ["a budget in words", '"timeZone"', '  "budget": { "money": "1.50" }', "budget.money must be a number"],
    [
      "a budget of something else",
      '"timeZone"',
      '  "budget": { "calls": 5 }',
      "budget.calls is not a setting. Known here: tokens, money.",
    ],
    [
      "an unknown key of a provider",
      '      "baseUrl"',
      '      "baseURL": "http://x", "baseUrl": "http://x",',
      "providers.local.baseURL is not a setting",
    ],
    [
      "an unknown key of a model",
      '"thinkingTokens"',
      '          "thinking": 1,',
      "providers.local.models.small.thinking is not a setting",
    ],
    [
      "another wire",
      '      "wire"',
      '      "wire": "openai",',
      "providers.local.wire must be one of anthropic-messages, openai-responses, openai-chat",
    ],
    ["a wire that is no text", '      "wire"', '      "wire": 5,', "providers.local.wire must be one of"],
    [
      "an address that is none",
      '      "baseUrl"',
      '      "baseUrl": "localhost:8080",',
      "must be an address that begins with http:// or https://",
    ],
    [
      "a secret in an address",
      '      "baseUrl"',
      `      "baseUrl": "http://u:${secret}@x",`,
      "without user, password, query or fragment",
    ],
    [
      "a blank key",
      '      "apiKey"',
      '      "apiKey": " ",',
      'providers.local.apiKey must be a text such as "sk-…".',
    ],
    [
      "two keys",
      '      "apiKey"',
      `      "apiKey": "${secret}", "apiKeyEnv": "X",`,
      "stands beside apiKey. Keep one of them.",
    ],
    [
      "a limit that is no number",
      '          "limit"',
      '          "limit": { "context": "200k", "output": 1 },',
      "limit.context must be a whole number above 0.",
    ],
    [
      "a limit that is missing",
      '          "limit"',
      '          "limit": { "context": 1000 },',
      "limit.output is missing",
    ],
    [
      "an output above the window",
      '          "limit"',
      '          "limit": { "context": 5, "output": 5 },',
      "must be below the context limit",
    ],
    [
      "thinking above the output",
      '"thinkingTokens"',
      '          "thinkingTokens": 9000,',
      "must be below the output limit",
    ],
    [
      "a negative price",
      '          "price"',
      '          "price": { "input": -1, "output": 0, "cacheRead": 0, "cacheWrite": 0 },',
      "price.input must be a number, 0 or more.",
    ],
    [
      "a time limit that is no number",
      '      "apiKey"',
      `      "apiKey": "${secret}", "timeouts": { "idleSeconds": "5m" },`,
      "providers.local.timeouts.idleSeconds must be a whole number above 0.",
    ],
    [
      "a time limit of none",
      '      "apiKey"',
      `      "apiKey": "${secret}", "timeouts": { "firstByteSeconds": 0 },`,
      "providers.local.timeouts.firstByteSeconds must be a whole number above 0.",
    ],
    [
      "a time limit above a day",
      '      "apiKey"',
      `      "apiKey": "${secret}", "timeouts": { "answerSeconds": 86401 },`,
      "providers.local.timeouts.answerSeconds must be at most 86400, a day.",
    ],
    [
      "a time limit of something else",
      '      "apiKey"',
      `      "apiKey": "${secret}", "timeouts": { "connectSeconds": 5 },`,
      "providers.local.timeouts.connectSeconds is not a setting. ",
    ],
    ["a model without a provider", '  "model"', '  "model": "small",', 'as in "NAME/MODEL".'],
    [
      "a time zone nobody knows",
      '"timeZone"',
      '  "timeZone": "Mars/Olympus"',
      'a time zone name such as "Europe/Paris"',
    ],
    ["masks by a word", '"maskShapes"', '  "maskShapes": "off",', "maskShapes must be true or false"],
    ["a model for titles without a provider", '"titleModel"', '  "titleModel": "a",', 'as in "NAME/MODEL".'],
    ["a historian without a model", '"historian"', '  "historian": { "prompt": "x" },', "must name a model"],
    [
      "a historian with a key of nobody",
      '"historian"',
      '  "historian": { "model": "a/b", "tier": 1 },',
      "tier",
    ],
    ["a setting given twice", '  "model"', '  "model": "a/b", "model": "c/d",', "model is set twice"],
  ])("%s", (_, pattern, replacement, said) => {
    const { text, line } = withLine(pattern, replacement)
    const failure = failureOf(text)
    expect(failure._tag).toBe("ConfigurationInvalid")
    expect({ file: failure.file, line: failure.line }).toEqual({ file, line })
    expect(failure.message.startsWith(`${file}:${line}: `)).toBe(true)
    expect(failure.message).toContain(said)
    expect(failure.message).not.toContain(secret)
  })

  test.each([
    ["[]", 1, "The file must be an object"],
    ['{ "providers": { "a": 1 } }', 1, "providers.a must be an object"],
    ['{\n "providers": {\n  "a": {}\n }\n}', 3, "providers.a.wire is missing"],
    [
      '{ "providers": { "a/b": {} } }',
      1,
      "providers.a/b has a slash in its name. Choose a name without a slash.",
    ],
    ['{ "providers": { "": {} } }', 1, "providers has a provider without a name. Give it one."],
    ["", 1, "syntax is wrong"],
  ])("in %j", (text, line, said) => {
    const failure = failureOf(text)
    expect(failure.line).toBe(line)
    expect(failure.message).toContain(said)
  })
})

describe("a project's file", () => {
  const read = (text: string) => {
    const { settings, fields, warnings } = readProjectFile(file, text)
    return { settings, faults: fields.document.faults, warnings }
  }

  test("may choose a model", () =>
    expect(read('{ "model": "local/small" }').settings.model).toEqual({ provider: "local", model: "small" }))

  test("[CF1 PE1] may add rules, which know that they are a project's and where they stand", () => {
    const text = '{\n  "permissions": [\n    "deny write(vendor/)"\n  ]\n}'
    expect(read(text).settings.permissions).toMatchObject([
      { effect: "deny", origin: "project", source: `${file}:3` },
    ])
    expect(Result.getOrThrow(decodeUserFile(file, text)).permissions).toMatchObject([{ origin: "user" }])
  })

  test.each<readonly [string, number, string]>([
    ['{\n  "providers": {}\n}', 2, "providers cannot be set by a project, whose files are not trusted."],
    ['{\n  "titleModel": "a/b"\n}', 2, "titleModel cannot be set by a project"],
    ['{\n  "historian": { "model": "a/b", "prompt": "x" }\n}', 2, "historian cannot be set by a project"],
    ['{\n  "budget": { "money": 1000 }\n}', 2, "budget cannot be set by a project"],
    ['{\n  "provider": {}\n}', 2, "provider is not a setting. Did you mean providers?"],
    [
      '{\n  "apiKey": "x"\n}',
      2,
      "apiKey cannot stand in a project's file: whoever has the project could read",
    ],
    ...["apiKey", "apiKeyEnv", "apiKeyFile", "apiKeyCommand"].map(
      (key) =>
        [
          `{\n  "providers": {\n    "a": {\n      "${key}": "x"\n    }\n  }\n}`,
          4,
          `${key} cannot stand in a project's file`,
        ] as const,
    ),
  ])("[CF1 AU1] may set nothing that spends, exposes or runs something: %j", (text, line, said) => {
    const { faults, settings } = read(text)
    expect(faults[0]?.line).toBe(line)
    expect(faults[0]?.message).toContain(said)
    expect(settings.budget).toBeNull()
    expect(settings.providers.size).toBe(0)
  })

  test("[CF1] that sets what is the user's, and harmless, is read without it and says so", () => {
    const { settings, faults, warnings } = read('{\n  "model": "a/b",\n  "timeZone": "UTC"\n}')
    expect([settings.model, settings.timeZone, faults]).toEqual([{ provider: "a", model: "b" }, null, []])
    expect(warnings).toEqual([
      {
        line: 3,
        message:
          "timeZone cannot be set by a project, whose files are not trusted. Set it in your own configuration. It is left out.",
      },
    ])
  })
})

describe("[CF1] a bad or unknown setting of the user's file", () => {
  const read = (text: string) => readUserFile(file, text, {})

  test.each<readonly [string, number, string]>([
    [
      '{\n  "timeZone": "Mars/Olympus"\n}',
      2,
      'timeZone must be a time zone name such as "Europe/Paris". Until then its default holds: that of the host.',
    ],
    [
      '{ "onRestart": "explode" }',
      1,
      'onRestart must be "settle" or "continue". Until then its default holds: settle.',
    ],
    ['{ "timezone": "UTC" }', 1, "timezone is not a setting. Did you mean timeZone? It is left out."],
    ['{ "wholly": { "other": 1 } }', 1, "wholly is not a setting. Known here: providers, model,"],
    [
      '{ "catalogUrl": "nowhere" }',
      1,
      "catalogUrl must be an address that begins with http:// or https://. Until",
    ],
    ['{ "fallback": ["x"] }', 1, "fallback must name provider and model"],
  ])("falls back to its default with a warning: %j", (text, line, said) => {
    const { settings, fields, warnings } = read(text)
    expect(fields.document.faults).toEqual([])
    expect(settings).toEqual(noSettings)
    expect(warnings).toEqual([{ line, message: expect.stringContaining(said) as string }])
  })

  test.each<readonly [string, string]>([
    ['{ "budgets": { "money": 1 } }', "budgets is not a setting. Did you mean budget?"],
    ['{ "provider": {} }', "provider is not a setting. Did you mean providers?"],
    ['{ "budget": { "money": -1 } }', "budget.money must be"],
    ['{ "model": 7 }', "model must be"],
    ['{ "timeZone": "UTC", "timeZone": "UTC" }', "timeZone is set twice"],
  ])("is an error where a default could spend, expose or run something: %j", (text, said) =>
    expect(read(text).fields.document.faults[0]?.message).toContain(said),
  )

  test.each<readonly [string, string]>([
    [
      '{ "idleSeconds": "5m", "firstByteSeconds": 600 }',
      "idleSeconds must be a whole number above 0. Until then its default holds: 60.",
    ],
    ['{ "answerSeconds": 86401, "firstByteSeconds": 600 }', "Until then its default holds: 7200."],
    ['{ "firstBytes": 5, "firstByteSeconds": 600 }', "Did you mean firstByteSeconds? It is left out."],
  ])("takes no other time limit with it, and no provider: %s", (timeouts, said) => {
    const { settings, fields, warnings } = read(`{ "providers": { "ollama": { "timeouts": ${timeouts} } } }`)
    expect(fields.document.faults).toEqual([])
    expect(settings.providers.get("ollama")?.timeouts).toEqual({ firstByteMs: 600_000 })
    expect(warnings).toEqual([{ line: 1, message: expect.stringContaining(said) as string }])
  })

  test("leaves the other settings as they are", () =>
    expect(read('{ "timeZone": 7, "onRestart": "continue", "$schema": "./x.json" }')).toMatchObject({
      settings: { timeZone: null, onRestart: "continue" },
      warnings: [{ line: 1 }],
    }))
})
