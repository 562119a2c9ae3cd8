/** A tool that stands in for the tools when there are none but history holds calls, which would be refused. */
import type { ToolDefinition } from "../segments.ts"

export const placeholderTool: ToolDefinition = {
  name: "no_tool_available",
  description: "No tool can be called in this turn. Answer in text.",
  inputSchema: { type: "object", properties: {} },
}
