/**
 * What is illegal about a Converse body as it is written and would be mended by encoding it again
 * (LL3). Its blocks are the linter's; here are lists, roles, cache points and settings.
 *
 * Marks: `documented` by AWS or the maker of the model, `recorded` in public reports of refusals.
 */
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../../json-fields.ts"
import type { Report } from "../../request/checked-chain.ts"
import type { Target } from "../../segments.ts"
import type { LintFault } from "../../wire.ts"
import { isCachePoint } from "../block-shape.ts"
import { familyOf } from "../families.ts"
import { reasonsWithoutLimit } from "../params.ts"
import { markersMax } from "../place.ts"

export function faultsOf(body: Fields, target: Target): readonly LintFault[] {
  const faults: LintFault[] = []
  const report: Report = (rule, block, message) => void faults.push({ rule, block, message })
  if (body["system"] !== undefined && !Array.isArray(body["system"])) {
    report("block-shape", 0, "system is no list: write it as a list of texts")
  }
  checkTools(body["toolConfig"], report)
  checkMessages(body, report)
  checkCachePoints(body, familyOf(target).markable, report)
  checkSettings(body, report)
  return faults
}

function checkTools(config: unknown, report: Report): void {
  if (config === undefined) return
  const { tools, toolChoice } = fieldsOf(config)
  const defined = listOf(tools).filter((tool) => !isCachePoint(fieldsOf(tool)))
  // documented: at least one.
  if (defined.length === 0) report("tools-missing", 0, "toolConfig holds no tool: leave it out or define one")
  if (toolChoice === undefined) return
  const [kind = "", ...others] = Object.keys(fieldsOf(toolChoice))
  if (others.length > 0 || !["auto", "any", "tool"].includes(kind)) {
    report("params", 0, "toolChoice is neither auto, any nor tool: give exactly one of them")
  }
}

function checkMessages(body: Fields, report: Report): void {
  let block = [fieldsOf(body["toolConfig"])["tools"], body["system"]].flatMap(listOf).filter(isSaid).length
  let before: unknown = null
  listOf(body["messages"]).forEach((message, at) => {
    const { role, content } = fieldsOf(message)
    const said = listOf(content).map(fieldsOf).filter(isSaid)
    // documented: the two roles, and at least one block. An unknown role is told of each block.
    if (said.length === 0) report("text-empty", block, `messages[${at}] is empty: leave it out`)
    if (role === before) {
      // recorded: a conversation must alternate between user and assistant roles.
      report("role-alternate", block, `messages[${at}] has the role of the one before: make them one message`)
    }
    // documented: a document is explained by a text beside it.
    if (said.some((part) => isFields(part["document"])) && said.every(({ text }) => textOf(text) === "")) {
      report("block-shape", block, `messages[${at}] holds a document and no text: add one`)
    }
    before = role
    block += said.length
  })
}

const isSaid = (block: unknown): boolean => !isCachePoint(fieldsOf(block))

interface CachePoint {
  readonly ttl: unknown
  readonly behind: Fields
  /** The block that it marks. */
  readonly block: number
}

function checkCachePoints(body: Fields, markable: string, report: Report): void {
  const points = cachePointsIn(body)
  points.slice(markersMax).forEach(({ block }) => {
    report("markers", block, `more than ${markersMax} cache points: remove one`) // documented
  })
  for (const { ttl, behind, block } of points) {
    if (ttl !== undefined && ttl !== "5m" && ttl !== "1h") {
      report("markers", block, "a cache point lives for 5m or for 1h") // documented
    }
    if (isFields(behind["reasoningContent"])) {
      report("markers", block, "a cache point behind reasoning") // recorded
    }
    // recorded: Nova takes none behind tools and results.
    if (
      markable === "text" &&
      ["toolSpec", "systemTool", "toolUse", "toolResult"].some((kind) => isFields(behind[kind]))
    ) {
      report("markers", block, "the model takes cache points behind text only")
    }
  }
  const short = points.findIndex(({ ttl }) => ttl !== "1h")
  const late = short < 0 ? undefined : points.slice(short).find(({ ttl }) => ttl === "1h")
  // documented: from tools over system to messages, no life is longer than one before it.
  if (late !== undefined) report("markers", late.block, "a cache point of 1h behind one of 5m")
}

function cachePointsIn({ toolConfig, system, messages }: Fields): readonly CachePoint[] {
  const contents = listOf(messages).map((message) => fieldsOf(message)["content"])
  const points: CachePoint[] = []
  let block = 0
  for (const list of [fieldsOf(toolConfig)["tools"], system, ...contents]) {
    let behind: Fields = {}
    for (const item of listOf(list).map(fieldsOf)) {
      if (isCachePoint(item)) {
        points.push({ ttl: fieldsOf(item["cachePoint"])["ttl"], behind, block: Math.max(0, block - 1) })
      } else {
        behind = item
        block += 1
      }
    }
  }
  return points
}

function checkSettings(body: Fields, report: Report): void {
  const { maxTokens } = fieldsOf(body["inferenceConfig"])
  const fields = fieldsOf(body["additionalModelRequestFields"])
  if (maxTokens !== undefined && (!Number.isSafeInteger(maxTokens) || (maxTokens as number) < 1)) {
    report("params", 0, "the output limit is not a positive number") // documented
  }
  if (maxTokens !== undefined && reasonsWithoutLimit(fields)) {
    report("params", 0, "high reasoning effort takes no maxTokens: leave it out") // documented
  }
  if (fieldsOf(fields["thinking"])["type"] === "enabled" && !leads(listOf(body["messages"]).map(fieldsOf))) {
    report("reasoning-lead", 0, "thinking is on, but the answer that goes on does not begin with it") // documented
  }
}

/** Whether the answer that a tool loop continues begins with reasoning; true where none is continued. */
function leads(messages: readonly Fields[]): boolean {
  let at = messages.findLastIndex(({ role }) => role === "assistant")
  const holds = (from: number, kind: string) =>
    listOf(messages[from]?.["content"]).some((block) => isFields(fieldsOf(block)[kind]))
  if (at < 0 || !holds(at, "toolUse")) return true
  // A loop goes back over messages that give results, to the answer that began it.
  while (at >= 2 && holds(at - 1, "toolResult") && messages[at - 2]?.["role"] === "assistant") at -= 2
  const first = listOf(messages[at]?.["content"]).map(fieldsOf).find(isSaid)
  return first !== undefined && isFields(first["reasoningContent"])
}
