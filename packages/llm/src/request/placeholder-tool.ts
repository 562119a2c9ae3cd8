/** A tool that stands in for the tools when there are none but history holds calls, which would be refused. */
import type { Segments, ToolDefinition } from "../segments.ts"
import type { Block } from "../wire.ts"

export const placeholderTool: ToolDefinition = {
  name: "no_tool_available",
  description: "No tool can be called in this turn. Answer in text.",
  inputSchema: { type: "object", properties: {} },
}

/** recorded: calls in history are refused where no tool is defined. */
export function toolsFor<Said>(
  { tools }: Segments,
  hosted: readonly Block[],
  said: readonly Said[],
  blocksOf: (said: Said) => readonly Block[],
): readonly ToolDefinition[] {
  if (tools.length > 0 || hosted.length > 0) return tools
  return said.some((one) => blocksOf(one).some(({ kind }) => kind === "result")) ? [placeholderTool] : []
}
