/** Declarations of the tools that the provider runs itself: documented as `{"systemTool":{"name":…}}` (LL8). */
import { type Fields, fieldsOf, isFields, textOf } from "../json-fields.ts"
import { functionNameShape } from "../request/call-shape.ts"

/** A function of ours is a `toolSpec`. */
export const isHostedTool = (declared: Fields): boolean => declared["systemTool"] !== undefined

export const hostedName = (declared: Fields): string => textOf(fieldsOf(declared["systemTool"])["name"])

export function hostedToolFault(declared: Fields): string | null {
  const { systemTool, ...others } = declared
  const isWhole = isFields(systemTool) && Object.keys(systemTool).length === 1
  if (isWhole && Object.keys(others).length === 0 && functionNameShape.test(hostedName(declared))) return null
  return 'needs exactly one member, with the name that the provider gave it, such as {"systemTool": {"name": "nova_grounding"}}'
}
