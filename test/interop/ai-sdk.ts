/** The AI SDK with the packages of its providers, which send what their own authors think right. */
import { statusOf } from "./official.ts"
import type { Client, Kit, Loaded } from "./sdks.ts"

interface Provider {
  readonly package: string
  /** The models of the provider by their name. */
  readonly open: (kit: Loaded, url: string) => (model: string) => Loaded
  /** What makes its models think. */
  readonly thinking: object
}

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", region: "us-east-1" }

const providers: Readonly<Record<string, Provider>> = {
  anthropic: {
    package: "@ai-sdk/anthropic",
    open: (kit, url) => kit.createAnthropic({ baseURL: `${url}/v1`, apiKey: "key" }),
    thinking: { anthropic: { thinking: { type: "enabled", budgetTokens: 1_024 } } },
  },
  openai: {
    package: "@ai-sdk/openai",
    open: (kit, url) => kit.createOpenAI({ baseURL: `${url}/v1`, apiKey: "key" }),
    thinking: { openai: { reasoningEffort: "low", reasoningSummary: "auto" } },
  },
  "openai-compatible": {
    package: "@ai-sdk/openai-compatible",
    open: (kit, url) => kit.createOpenAICompatible({ name: "sim", baseURL: `${url}/v1`, apiKey: "key" }),
    thinking: {},
  },
  google: {
    package: "@ai-sdk/google",
    open: (kit, url) => kit.createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: "key" }),
    thinking: { google: { thinkingConfig: { includeThoughts: true } } },
  },
  "amazon-bedrock": {
    package: "@ai-sdk/amazon-bedrock",
    open: (kit, url) => kit.createAmazonBedrock({ baseURL: url, ...credentials }),
    thinking: { bedrock: { reasoningConfig: { type: "enabled", budgetTokens: 1_024 } } },
  },
}

const kitOf = (provider: Provider): Kit => ({
  packages: ["ai", provider.package],
  connect(load, url): Client {
    const { generateText, streamText, tool, jsonSchema, isStepCount, stepCountIs } = load("ai") as Loaded
    const modelOf = provider.open(load(provider.package), url)
    // Models of OpenAI that reason do not know the limit by the name that compatible servers have for it.
    const settingsFor = (model: string) => ({
      model: modelOf(model),
      maxRetries: 0,
      ...(model === "gpt-5.4" ? {} : { maxOutputTokens: 2_000 }),
    })
    const stopWhen = (isStepCount ?? stepCountIs)(5)
    const loop = async (model: string, run: (input: unknown) => string, more: object = {}) => {
      const read = tool({
        description: "Reads a file. ".repeat(100),
        inputSchema: jsonSchema({
          type: "object",
          properties: { path: { type: "string" } },
          required: ["path"],
          additionalProperties: false,
        }),
        execute: async (input: unknown) => run(input),
      })
      const { text } = await generateText({
        ...settingsFor(model),
        tools: { read },
        stopWhen,
        prompt: "What is in README.md?",
        ...more,
      })
      return text as string
    }
    return {
      text: async (model) => (await generateText({ ...settingsFor(model), prompt: "Hello." })).text,
      streamed: async (model) => streamText({ ...settingsFor(model), prompt: "Hello." }).text,
      toolLoop: loop,
      image: async (model, png) => {
        const content = [
          { type: "image", image: Buffer.from(png, "base64"), mediaType: "image/png" },
          { type: "text", text: "What is this?" },
        ]
        const messages = [{ role: "user", content }]
        return (await generateText({ ...settingsFor(model), messages })).text
      },
      reasoning: (model, run) => loop(model, run, { providerOptions: provider.thinking }),
      failure: () => statusOf(generateText({ ...settingsFor("nobody"), prompt: "a" })),
    }
  },
})

export const aiSdkKits: Readonly<Record<string, Kit>> = Object.fromEntries(
  Object.entries(providers).map(([name, provider]) => [`ai with ${name}`, kitOf(provider)]),
)
