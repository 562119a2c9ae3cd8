/** The host: what other packages may use of it. */
export { allowedTools, openHost, type AllowedTool, type Host, type HostOptions } from "./host.ts"
