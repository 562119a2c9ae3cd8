/**
 * Declarations of the tools that the provider runs itself: documented as entries of `tools` beside the
 * function declarations, each with one member that names the tool and holds its settings (LL8).
 */
import { type Fields, isFields } from "../json-fields.ts"

/** A function of ours has a name; a declaration has nothing but the member of its tool. */
export const isHostedTool = (declared: Fields): boolean =>
  declared["name"] === undefined && Object.values(declared).some((value) => isFields(value))

export function hostedToolFault(declared: Fields): string | null {
  const [tool, ...others] = Object.entries(declared)
  if (tool === undefined || others.length > 0 || !isFields(tool[1]) || tool[0] === "") {
    return 'needs exactly one member, an object under the name of the tool, such as {"googleSearch": {}}'
  }
  return null
}
