/** The host: what other packages may use of it. */
export { beginWriter } from "@holdfast/store"
export { openHost, type Host, type HostOptions } from "./host.ts"
export { fixedSettings, openSettings, type SettingsInForce } from "./settings-in-force.ts"
