/** Shape rules: messages, blocks, tools and the inference parameters, each by itself. */
import { isObject } from "../json.ts"
import type { JsonObject } from "../json.ts"
import type { Verdict } from "../sim-wire.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"

/** documented: one of these makes a block of a message. */
const blockKinds = [
  "text",
  "image",
  "document",
  "video",
  "toolUse",
  "toolResult",
  "reasoningContent",
  "cachePoint",
  "guardContent",
  "citationsContent",
]

export function checkShape(body: JsonObject): Verdict {
  return (
    checkSystem(body["system"] ?? []) ??
    checkMessages(body["messages"]) ??
    checkToolConfig(body["toolConfig"]) ??
    checkInference(body["inferenceConfig"])
  )
}

function checkSystem(value: unknown): Verdict {
  return each("system", value, (path, block) => {
    if (!isObject(block)) return wrongType(path)
    if (block["cachePoint"] !== undefined) return checkCachePoint(`${path}.cachePoint`, block["cachePoint"])
    if (block["guardContent"] !== undefined) return undefined
    if (typeof block["text"] !== "string") return wrongType(`${path}.text`)
    return block["text"].trim() === "" ? invalid(facts.systemBlank(path)) : undefined
  })
}

function checkMessages(value: unknown): Verdict {
  if (value === undefined || value === null) return invalid(facts.memberNull("messages"))
  return each("messages", value, (path, message) => {
    if (!isObject(message)) return wrongType(path)
    const role = message["role"]
    if (role !== "user" && role !== "assistant") {
      const enumeration = "Member must satisfy enum value set: [user, assistant]"
      return invalid(facts.constraint(String(role), `${path}.role`, enumeration))
    }
    const content = message["content"]
    if (!Array.isArray(content)) return wrongType(`${path}.content`)
    if (content.length === 0) return invalid(facts.contentEmpty(path))
    return each(`${path}.content`, content, checkBlock)
  })
}

function checkBlock(path: string, block: unknown): Verdict {
  if (!isObject(block)) return wrongType(path)
  if (!blockKinds.some((kind) => block[kind] !== undefined)) {
    return invalid(facts.unionEmpty(path, "ContentBlock", blockKinds.join(", ")))
  }
  const text = block["text"]
  if (text !== undefined && typeof text !== "string") return wrongType(`${path}.text`)
  if (typeof text === "string" && text.trim() === "") return invalid(facts.textBlank(path))
  return (
    checkToolUse(`${path}.toolUse`, block["toolUse"]) ??
    checkToolResult(path, block["toolResult"]) ??
    checkReasoning(`${path}.reasoningContent`, block["reasoningContent"]) ??
    checkCachePoint(`${path}.cachePoint`, block["cachePoint"]) ??
    checkImage(`${path}.image`, block["image"])
  )
}

function checkToolUse(path: string, value: unknown): Verdict {
  if (value === undefined) return undefined
  if (!isObject(value)) return wrongType(path)
  return (
    checkName(`${path}.toolUseId`, value["toolUseId"]) ??
    checkName(`${path}.name`, value["name"]) ??
    (isObject(value["input"]) ? undefined : wrongType(`${path}.input`))
  )
}

function checkToolResult(path: string, value: unknown): Verdict {
  if (value === undefined) return undefined
  const where = `${path}.toolResult`
  if (!isObject(value)) return wrongType(where)
  const name = checkName(`${where}.toolUseId`, value["toolUseId"])
  if (name !== undefined) return name
  const content = value["content"]
  if (!Array.isArray(content)) return invalid(facts.memberNull(`${where}.content`))
  if (content.length === 0 && value["status"] === "error") return invalid(facts.resultEmpty(path))
  return each(`${where}.content`, content, (at, part) => {
    if (!isObject(part)) return wrongType(at)
    if (typeof part["text"] === "string" && part["text"].trim() === "") {
      return invalid(facts.textBlank(at))
    }
    return checkImage(`${at}.image`, part["image"])
  })
}

function checkReasoning(path: string, value: unknown): Verdict {
  if (value === undefined) return undefined
  if (!isObject(value)) return wrongType(path)
  const thought = value["reasoningText"]
  if (thought === undefined) {
    return typeof value["redactedContent"] === "string" ? undefined : wrongType(`${path}.redactedContent`)
  }
  const isText = isObject(thought) && typeof thought["text"] === "string"
  return isText ? undefined : wrongType(`${path}.reasoningText`)
}

/** documented: one type, and two lives. */
function checkCachePoint(path: string, value: unknown): Verdict {
  if (value === undefined) return undefined
  if (!isObject(value)) return wrongType(path)
  if (value["type"] !== "default") {
    const enumeration = "Member must satisfy enum value set: [default]"
    return invalid(facts.constraint(String(value["type"]), `${path}.type`, enumeration))
  }
  const ttl = value["ttl"]
  if (ttl === undefined || ttl === "5m" || ttl === "1h") return undefined
  const enumeration = "Member must satisfy enum value set: [5m, 1h]"
  return invalid(facts.constraint(String(ttl), `${path}.ttl`, enumeration))
}

function checkImage(path: string, value: unknown): Verdict {
  if (value === undefined) return undefined
  if (!isObject(value)) return wrongType(path)
  const formats = facts.imageFormats
  if (typeof value["format"] === "string" && formats.includes(value["format"])) {
    return checkSource(`${path}.source`, value["source"])
  }
  const enumeration = `Member must satisfy enum value set: [${formats.join(", ")}]`
  return invalid(facts.constraint(String(value["format"]), `${path}.format`, enumeration))
}

function checkSource(path: string, value: unknown): Verdict {
  if (value === undefined || value === null) return invalid(facts.memberNull(path))
  if (!isObject(value)) return wrongType(path)
  const { bytes, s3Location } = value
  if (bytes === undefined && s3Location === undefined) {
    return invalid(facts.unionEmpty(path, "ImageSource", "bytes, s3Location"))
  }
  return bytes === undefined || typeof bytes === "string" ? undefined : wrongType(`${path}.bytes`)
}

function checkToolConfig(value: unknown): Verdict {
  if (value === undefined) return undefined
  if (!isObject(value)) return wrongType("toolConfig")
  const tools = value["tools"]
  if (!Array.isArray(tools) || tools.length === 0) {
    const least = "Member must have length greater than or equal to 1"
    return invalid(facts.constraint("[]", "toolConfig.tools", least))
  }
  const seen = new Set<unknown>()
  const shape = each("toolConfig.tools", tools, (path, tool) => {
    if (!isObject(tool)) return wrongType(path)
    const spec = tool["toolSpec"]
    if (spec === undefined) {
      if (tool["cachePoint"] !== undefined) return checkCachePoint(`${path}.cachePoint`, tool["cachePoint"])
      return tool["systemTool"] === undefined
        ? invalid(facts.unionEmpty(path, "Tool", "toolSpec, systemTool, cachePoint"))
        : undefined
    }
    if (!isObject(spec)) return wrongType(`${path}.toolSpec`)
    const name = checkName(`${path}.toolSpec.name`, spec["name"])
    if (name !== undefined) return name
    if (seen.has(spec["name"])) return invalid(facts.toolNamesTwice(String(spec["name"])))
    seen.add(spec["name"])
    const schema = spec["inputSchema"]
    return isObject(schema) && isObject(schema["json"])
      ? undefined
      : invalid(facts.memberNull(`${path}.toolSpec.inputSchema`))
  })
  return shape ?? checkChoice(value["toolChoice"])
}

function checkChoice(value: unknown): Verdict {
  if (value === undefined) return undefined
  if (!isObject(value)) return wrongType("toolConfig.toolChoice")
  const tool = value["tool"]
  if (tool === undefined) return undefined
  return isObject(tool)
    ? checkName("toolConfig.toolChoice.tool.name", tool["name"])
    : wrongType("toolConfig.toolChoice.tool")
}

function checkInference(value: unknown): Verdict {
  if (value === undefined) return undefined
  if (!isObject(value)) return wrongType("inferenceConfig")
  const { maxTokens, temperature } = value
  if (maxTokens !== undefined && (!Number.isInteger(maxTokens) || (maxTokens as number) < 1)) {
    const least = "Member must have value greater than or equal to 1"
    return invalid(facts.constraint(String(maxTokens), "inferenceConfig.maxTokens", least))
  }
  if (temperature !== undefined && (typeof temperature !== "number" || temperature < 0 || temperature > 1)) {
    const most = "Member must have value less than or equal to 1"
    return invalid(facts.constraint(String(temperature), "inferenceConfig.temperature", most))
  }
  return undefined
}

function checkName(path: string, value: unknown): Verdict {
  if (typeof value !== "string") return invalid(facts.memberNull(path))
  if (!facts.namePattern.test(value)) {
    const pattern = "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+"
    return invalid(facts.constraint(value, path, pattern))
  }
  const most = `Member must have length less than or equal to ${facts.nameMax}`
  return value.length <= facts.nameMax ? undefined : invalid(facts.constraint(value, path, most))
}

function each(path: string, value: unknown, check: (path: string, item: unknown) => Verdict): Verdict {
  if (!Array.isArray(value)) return wrongType(path)
  for (const [index, item] of value.entries()) {
    const refusal = check(`${path}.${index}`, item)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function wrongType(path: string): Verdict {
  return invalid(facts.wrongType(path))
}
