/** Declarations of the tools that the provider runs itself: documented as tools with a type and a name (LL8). */
import { type Fields, textOf } from "../json-fields.ts"

/** documented: the names that the provider takes. */
export const nameShape = /^[a-zA-Z0-9_-]{1,128}$/

/** documented: a function of ours has no type, or the type `custom`. */
export const isHostedTool = ({ type }: Fields): boolean =>
  type !== undefined && type !== null && type !== "custom"

export function hostedToolFault(declared: Fields): string | null {
  const { type, name, cache_control: marker } = declared
  if (!isHostedTool(declared) || textOf(type) === "") {
    return 'needs the type that the provider gave it, such as "web_search_20250305"'
  }
  // documented: a set of tools has the name of the server that runs them.
  if (type === "mcp_toolset" && textOf(declared["mcp_server_name"]) === "")
    return "needs `mcp_server_name`, the server whose tools it stands for"
  if (type !== "mcp_toolset" && !nameShape.test(textOf(name)))
    return 'needs the name that the provider gave it, such as "web_search"'
  return marker === undefined ? null : "brings its own cache marker: markers are placed by the runtime"
}
