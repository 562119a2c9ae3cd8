/** Tools that the provider runs itself, as Converse declares them. */
import { describe, expect, test } from "vitest"
import type { JsonObject } from "@holdfast/schema/json"
import { hostedToolFault } from "../../src/bedrock-converse/hosted-tool.ts"
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import { segmentsOf, user } from "../requests.ts"
import { bedrockTarget, bodyOf } from "./requests.ts"

const nova = "us.amazon.nova-lite-v1:0"
const grounding = { systemTool: { name: "nova_grounding" } }

describe("[LL8] the provider's own tools on Converse", () => {
  const asked = segmentsOf([user("a")])
  const declaring = (...hostedTools: readonly JsonObject[]) => bedrockTarget({ model: { hostedTools } }, nova)

  test("are written as they are declared, behind the functions", () => {
    const tools = bodyOf(asked, declaring(grounding)).toolConfig?.tools
    expect(tools?.map((tool) => Object.keys(tool)[0])).toEqual(["toolSpec", "systemTool"])
    expect(tools?.[1]).toEqual(grounding)
    expect(bodyOf(segmentsOf([user("a")], { tools: [] }), declaring(grounding)).toolConfig?.tools).toEqual([
      grounding,
    ])
  })

  test.each<readonly [declared: JsonObject]>([
    [{}],
    [{ type: "web_search" }],
    [{ systemTool: "nova_grounding" }],
    [{ systemTool: {} }],
    [{ systemTool: { name: "" } }],
    [{ systemTool: { name: "no such name" } }],
    [{ systemTool: { name: "a", more: 1 } }],
    [{ systemTool: { name: "a" }, type: "custom" }],
  ])("%j is no declaration", (wrong) => {
    expect(hostedToolFault(wrong)).toContain("needs")
    const to = declaring(wrong)
    const faults = bedrockConverse.lint(bedrockConverse.encode(asked, to), to)
    expect(faults.map(({ rule, block }) => ({ rule, block }))).toEqual([{ rule: "tool-hosted", block: 1 }])
  })

  test("one that has the name of a function is a fault", () => {
    const to = declaring({ systemTool: { name: "read" } })
    expect(bedrockConverse.lint(bedrockConverse.encode(asked, to), to).map(({ rule }) => rule)).toEqual([
      "tool-unique",
    ])
  })
})
