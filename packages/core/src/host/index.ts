/** The host: what other packages may use of it. */
export { openHost, type Host, type HostOptions } from "./host.ts"
