/** The official kits of the providers, each in the few calls that a client cannot do without. */
import type { Client, Kit, Loaded } from "./sdks.ts"

const prompt = "What is in README.md?"
const parameters = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
}
const description = "Reads a file. ".repeat(100)

const anthropic: Kit = {
  packages: ["@anthropic-ai/sdk"],
  connect(load, url): Client {
    const { default: Anthropic } = load("@anthropic-ai/sdk") as { default: Loaded }
    const client = new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 }) as Loaded
    const tools = [{ name: "read", description, input_schema: parameters }]
    const textIn = (message: Loaded) =>
      message.content.flatMap((block: Loaded) => (block.type === "text" ? [block.text] : [])).join("")
    const loop = async (model: string, run: (input: unknown) => string, more: object = {}) => {
      const messages: Loaded[] = [{ role: "user", content: prompt }]
      for (let round = 0; round < roundsMax; round++) {
        const answer = await client.messages.create({ model, max_tokens: 4_000, tools, messages, ...more })
        if (answer.stop_reason !== "tool_use") return textIn(answer)
        const results = answer.content.flatMap((block: Loaded) =>
          block.type === "tool_use"
            ? [{ type: "tool_result", tool_use_id: block.id, content: run(block.input) }]
            : [],
        )
        messages.push({ role: "assistant", content: answer.content }, { role: "user", content: results })
      }
      return "no end"
    }
    const say = (content: unknown) => [{ role: "user", content }]
    return {
      text: async (model) =>
        textIn(await client.messages.create({ model, max_tokens: 1_000, messages: say("Hello.") })),
      streamed: async (model) => {
        const request = { model, max_tokens: 1_000, messages: say("Hello.") }
        return textIn(await client.messages.stream(request).finalMessage())
      },
      toolLoop: loop,
      image: async (model, png) => {
        const source = { type: "base64", media_type: "image/png", data: png }
        const messages = say([
          { type: "image", source },
          { type: "text", text: "What is this?" },
        ])
        return textIn(await client.messages.create({ model, max_tokens: 1_000, messages }))
      },
      reasoning: (model, run) =>
        loop(model, run, { thinking: { type: "enabled", budget_tokens: 1_024, display: "omitted" } }),
      failure: () => statusOf(client.messages.create({ model: "nobody", max_tokens: 9, messages: say("a") })),
    }
  },
}

const openaiResponses: Kit = {
  packages: ["openai"],
  connect(load, url): Client {
    const client = connectOpenAi(load, url)
    const tools = [{ type: "function", name: "read", description, parameters, strict: true }]
    // Nothing is said of `store`: what was said before is named, and the provider remembers it.
    const loop = async (model: string, run: (input: unknown) => string, more: object = {}) => {
      let answer = await client.responses.create({ model, tools, input: prompt, ...more })
      for (let round = 0; round < roundsMax; round++) {
        const calls = answer.output.filter((item: Loaded) => item.type === "function_call")
        if (calls.length === 0) return answer.output_text as string
        const input = calls.map((call: Loaded) => ({
          type: "function_call_output",
          call_id: call.call_id,
          output: run(JSON.parse(call.arguments)),
        }))
        answer = await client.responses.create({
          model,
          tools,
          input,
          previous_response_id: answer.id,
          ...more,
        })
      }
      return "no end"
    }
    return {
      text: async (model) => (await client.responses.create({ model, input: "Hello." })).output_text,
      streamed: async (model) => {
        const stream = client.responses.stream({ model, input: "Hello." })
        return (await stream.finalResponse()).output_text
      },
      toolLoop: loop,
      image: async (model, png) => {
        const image = { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "auto" }
        const input = [{ role: "user", content: [image, { type: "input_text", text: "What is this?" }] }]
        return (await client.responses.create({ model, input })).output_text
      },
      reasoning: (model, run) => loop(model, run, { reasoning: { effort: "low", summary: "auto" } }),
      failure: () => statusOf(client.responses.create({ model: "nobody", input: "a" })),
    }
  },
}

const openaiChat: Kit = {
  packages: ["openai"],
  connect(load, url): Client {
    const client = connectOpenAi(load, url)
    const tools = [{ type: "function", function: { name: "read", description, parameters, strict: true } }]
    const loop = async (model: string, run: (input: unknown) => string, more: object = {}) => {
      const messages: Loaded[] = [{ role: "user", content: prompt }]
      for (let round = 0; round < roundsMax; round++) {
        const answer = await client.chat.completions.create({ model, tools, messages, ...more })
        const [{ message }] = answer.choices
        if (message.tool_calls === undefined) return message.content as string
        const results = message.tool_calls.map((call: Loaded) => ({
          role: "tool",
          tool_call_id: call.id,
          content: run(JSON.parse(call.function.arguments)),
        }))
        messages.push(message, ...results)
      }
      return "no end"
    }
    const say = (content: unknown) => [{ role: "user", content }]
    const contentOf = (answer: Loaded): string => answer.choices[0].message.content
    // The two settings that models which reason do not take.
    const plain = { max_tokens: 1_000, temperature: 0.2 }
    return {
      text: async (model) =>
        contentOf(
          await client.chat.completions.create({ model, messages: say("Hello."), ...plainFor(model, plain) }),
        ),
      streamed: async (model) => {
        const stream = client.chat.completions.stream({ model, messages: say("Hello.") })
        return contentOf(await stream.finalChatCompletion())
      },
      toolLoop: loop,
      image: async (model, png) => {
        const image = { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } }
        const messages = say([image, { type: "text", text: "What is this?" }])
        return contentOf(await client.chat.completions.create({ model, messages }))
      },
      reasoning: (model, run) => loop(model, run, { reasoning_effort: "low" }),
      failure: () => statusOf(client.chat.completions.create({ model: "nobody", messages: say("a") })),
    }
  },
}

const gemini: Kit = {
  packages: ["@google/genai"],
  connect(load, url): Client {
    const { GoogleGenAI } = load("@google/genai") as Loaded
    const client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: url } }) as Loaded
    const tools = [
      { functionDeclarations: [{ name: "read", description, parametersJsonSchema: parameters }] },
    ]
    const loop = async (model: string, run: (input: unknown) => string, more: object = {}) => {
      const contents: Loaded[] = [{ role: "user", parts: [{ text: prompt }] }]
      for (let round = 0; round < roundsMax; round++) {
        const answer = await client.models.generateContent({ model, contents, config: { tools, ...more } })
        const calls: readonly Loaded[] = answer.functionCalls ?? []
        if (calls.length === 0) return answer.text as string
        const parts = calls.map(({ name, args }) => ({
          functionResponse: { name, response: { output: run(args) } },
        }))
        contents.push(answer.candidates[0].content, { role: "user", parts })
      }
      return "no end"
    }
    return {
      text: async (model) => (await client.models.generateContent({ model, contents: "Hello." })).text,
      streamed: async (model) => {
        let text = ""
        const stream = await client.models.generateContentStream({ model, contents: "Hello." })
        for await (const piece of stream) text += piece.text ?? ""
        return text
      },
      toolLoop: loop,
      image: async (model, png) => {
        const parts = [{ inlineData: { mimeType: "image/png", data: png } }, { text: "What is this?" }]
        return (await client.models.generateContent({ model, contents: [{ role: "user", parts }] })).text
      },
      reasoning: (model, run) => loop(model, run, { thinkingConfig: { includeThoughts: true } }),
      failure: () => statusOf(client.models.generateContent({ model: "nobody", contents: "a" })),
    }
  },
}

const bedrock: Kit = {
  packages: ["@aws-sdk/client-bedrock-runtime"],
  connect(load, url): Client {
    const kit = load("@aws-sdk/client-bedrock-runtime") as Loaded
    // Its own handler, which speaks the second version of HTTP.
    const client = new kit.BedrockRuntimeClient({
      region: "us-east-1",
      endpoint: url,
      credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" },
      maxAttempts: 1,
    }) as Loaded
    const send = (input: object) => client.send(new kit.ConverseCommand(input))
    const toolConfig = {
      tools: [{ toolSpec: { name: "read", description, inputSchema: { json: parameters } } }],
    }
    const textIn = (answer: Loaded) =>
      answer.output.message.content.flatMap((block: Loaded) => block.text ?? []).join("")
    const loop = async (model: string, run: (input: unknown) => string, more: object = {}) => {
      const messages: Loaded[] = [{ role: "user", content: [{ text: prompt }] }]
      for (let round = 0; round < roundsMax; round++) {
        const answer = await send({ modelId: model, messages, toolConfig, ...more })
        if (answer.stopReason !== "tool_use") return textIn(answer)
        const { message } = answer.output
        const content = message.content.flatMap(({ toolUse: call }: Loaded) =>
          call === undefined
            ? []
            : [{ toolResult: { toolUseId: call.toolUseId, content: [{ text: run(call.input) }] } }],
        )
        messages.push(message, { role: "user", content })
      }
      return "no end"
    }
    const say = (...content: readonly object[]) => [{ role: "user", content }]
    return {
      text: async (model) => textIn(await send({ modelId: model, messages: say({ text: "Hello." }) })),
      streamed: async (model) => {
        const input = { modelId: model, messages: say({ text: "Hello." }) }
        let text = ""
        const { stream } = await client.send(new kit.ConverseStreamCommand(input))
        for await (const event of stream) text += event.contentBlockDelta?.delta?.text ?? ""
        return text
      },
      toolLoop: loop,
      image: async (model, png) => {
        const image = { image: { format: "png", source: { bytes: Buffer.from(png, "base64") } } }
        return textIn(await send({ modelId: model, messages: say(image, { text: "What is this?" }) }))
      },
      reasoning: (model, run) =>
        loop(model, run, {
          additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1_024 } },
        }),
      failure: () => statusOf(send({ modelId: "nobody", messages: say({ text: "a" }) })),
    }
  },
}

export const officialKits: Readonly<Record<string, Kit>> = {
  "@anthropic-ai/sdk": anthropic,
  "openai, Responses": openaiResponses,
  "openai, Chat": openaiChat,
  "@google/genai": gemini,
  "@aws-sdk/client-bedrock-runtime": bedrock,
}

const roundsMax = 5

function connectOpenAi(load: (name: string) => Loaded, url: string): Loaded {
  const { default: OpenAI } = load("openai") as { default: Loaded }
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: "key", maxRetries: 0 }) as Loaded
}

const plainFor = (model: string, settings: object): object => (model === "gpt-4o" ? settings : {})

/** The status of a failure, wherever the kit keeps it. */
export async function statusOf(asked: Promise<unknown>): Promise<number | undefined> {
  try {
    await asked
    return undefined
  } catch (failure) {
    const { status, statusCode, $metadata } = failure as Loaded
    return (status ?? statusCode ?? $metadata?.httpStatusCode) as number | undefined
  }
}
