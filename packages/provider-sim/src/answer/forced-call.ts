/**
 * Forced call: a request that demands a call gets one, whatever the model would have said
 * (documented for every wire). A reply that names its own stop reason ends before that, and stays.
 */
import type { Reply, RequestView } from "../model.ts"
import { sampleObject } from "./sample.ts"

export function withForcedCall(reply: Reply, { toolChoice: choice, tools }: RequestView): Reply {
  if (choice.type !== "any" && choice.type !== "tool") return reply
  if (reply.stopReason !== undefined || reply.blocks.some((block) => block.type === "tool_use")) return reply
  const tool = choice.type === "tool" ? tools.find(({ name }) => name === choice.name) : tools[0]
  if (tool === undefined) return reply
  const thoughts = reply.blocks.filter((block) => block.type.endsWith("thinking"))
  const call = { type: "tool_use", name: tool.name, input: sampleObject(tool.inputSchema) } as const
  return { ...reply, blocks: [...thoughts, call] }
}
