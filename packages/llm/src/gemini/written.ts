/** A Gemini body as somebody wrote it: what it means, its blocks, and what is wrong outside of them (LL3). */
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import type { Report } from "../request/checked-chain.ts"
import { grouped, type WrittenForm, writtenTools } from "../recording/written-form.ts"
import type { Target } from "../segments.ts"
import type { LintFault } from "../wire.ts"
import { isOlder, isVertex } from "./families.ts"
import { partTools } from "./hosted-tool.ts"
import { bodyMeaning } from "./meaning.ts"
import { readRequest } from "./read-request.ts"
import { oneSpelling } from "./spelling.ts"

export const writtenForm: WrittenForm = {
  read: readRequest,
  meaning: bodyMeaning,
  blocks: (body) => {
    const value = oneSpelling(body)
    const { functions, hosted } = partTools(value["tools"])
    return [
      ...writtenTools([...functions, ...hosted]),
      ...grouped(value, fieldsOf(value["systemInstruction"])["parts"], "contents", "parts"),
    ]
  },
  faults,
}

/** What reading a body and encoding it again would mend in silence. */
function faults(body: Fields, target: Target): readonly LintFault[] {
  const found: LintFault[] = []
  const report: Report = (rule, block, message) => void found.push({ rule, block, message })
  const value = oneSpelling(body)
  checkTexts(body, report)
  checkContents(value, target, report)
  checkChoice(value, report)
  checkHosted(value, target, report)
  checkConfig(fieldsOf(value["generationConfig"]), report)
  for (const one of partTools(value["tools"]).functions) checkFunction(fieldsOf(one), report)
  return found
}

/** recorded: text stands in a part, nowhere else. */
function checkTexts(body: Fields, report: Report): void {
  const instruction = body["systemInstruction"] ?? body["system_instruction"]
  const contents = Array.isArray(body["contents"]) ? body["contents"] : [body["contents"]]
  const bare = [instruction, ...contents].some(
    (content) =>
      typeof content === "string" ||
      [fieldsOf(content)["parts"]].flat().some((part) => typeof part === "string"),
  )
  if (bare) report("block-shape", 0, 'text stands outside of a part: write {"parts": [{"text": …}]}')
}

const roles: ReadonlySet<unknown> = new Set([undefined, "user", "model", "function"])

/** recorded: roles are known and contents hold parts. documented: a part holds one thing. */
function checkContents(value: Fields, target: Target, report: Report): void {
  const { functions, hosted } = partTools(value["tools"])
  const prompts = listOf(fieldsOf(value["systemInstruction"])["parts"])
  let block = functions.length + hosted.length + prompts.length
  for (const [at, content] of listOf(value["contents"]).map(fieldsOf).entries()) {
    const { role } = content
    const parts = listOf(content["parts"]).map(fieldsOf)
    if (!roles.has(role)) {
      report("block-shape", block, `contents[${at}] has the role ${textOf(role)}: use user or model`)
    }
    if (parts.length === 0) report("text-empty", block, `contents[${at}] has no parts: leave it out`)
    for (const part of parts) {
      const data = dataMembers.filter((name) => part[name] !== undefined)
      if (data.length > 1) {
        report("block-shape", block, `a part holds ${data.join(" and ")}: write a part for each`)
      }
      // documented: only the newest take them.
      if (listOf(fieldsOf(part["functionResponse"])["parts"]).length > 0 && isOlder(target)) {
        report("media-place", block, "this model takes no media inside of a response: put them behind it")
      }
      block += 1
    }
  }
}

const dataMembers: readonly string[] = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
]

/** What may be called is declared, and named only where it must be called. */
function checkChoice(value: Fields, report: Report): void {
  const { functionCallingConfig: config } = fieldsOf(value["toolConfig"])
  if (!isFields(config)) return
  const declared = partTools(value["tools"]).functions.map((one) => textOf(fieldsOf(one)["name"]))
  // recorded: whatever the mode is.
  if (declared.length === 0) {
    return report("params", 0, "functionCallingConfig stands without functions: remove it or declare some")
  }
  const allowed = listOf(config["allowedFunctionNames"]).map(textOf)
  const mode = textOf(config["mode"]).toUpperCase()
  if (allowed.length > 0 && mode !== "ANY" && mode !== "VALIDATED") {
    report("params", 0, "allowedFunctionNames stands without the mode ANY or VALIDATED: remove it")
  }
  // A single one under ANY is read and judged as a choice of ours.
  const read = allowed.length === 1 && mode === "ANY"
  const unknown = read ? [] : allowed.filter((name) => !declared.includes(name))
  if (unknown.length > 0) {
    report("params", 0, `a function that may be called is not defined: ${unknown.join(", ")}`)
  }
}

/** recorded: functions stand beside hosted tools only where the answer tells what those did. */
function checkHosted(value: Fields, { endpoint }: Target, report: Report): void {
  const { functions, hosted } = partTools(value["tools"])
  const told = fieldsOf(value["toolConfig"])["includeServerSideToolInvocations"]
  if (functions.length === 0 || hosted.length === 0 || told === true || isVertex(endpoint)) return
  report("params", 0, "functions stand beside hosted tools: set toolConfig.includeServerSideToolInvocations")
}

function checkConfig(config: Fields, report: Report): void {
  const { maxOutputTokens: output, responseMimeType, responseSchema, responseJsonSchema } = config
  if (output !== undefined && (!Number.isSafeInteger(output) || (output as number) < 1)) {
    report("params", 0, "maxOutputTokens is not a positive number: remove it or set one")
  }
  // documented: both need the type, and they exclude each other.
  if (responseSchema !== undefined && responseJsonSchema !== undefined) {
    report("params", 0, "responseSchema and responseJsonSchema stand beside each other: remove one")
  }
  const typed = responseMimeType === "application/json" || responseMimeType === "text/x.enum"
  if ((responseSchema ?? responseJsonSchema) !== undefined && !typed) {
    report("params", 0, "a schema of the answer stands without responseMimeType: set application/json")
  }
}

/** documented: the two languages of a schema exclude each other. */
function checkFunction(tool: Fields, report: Report): void {
  if (tool["parameters"] === undefined || tool["parametersJsonSchema"] === undefined) return
  report(
    "tool-schema",
    0,
    `${textOf(tool["name"])} has parameters and parametersJsonSchema: remove one of them`,
  )
}
