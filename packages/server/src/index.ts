/** Hosts the contract on a runtime: in memory, and on a loopback port. */
export type { Defect } from "./front-door.ts"
export { makeHandler } from "./handler.ts"
export type { Handler, HandlerOptions, WebHandler } from "./handler.ts"
export type { HostedRuntime } from "./hosted-runtime.ts"
export { listen, listenLimits } from "./listen.ts"
export type { Listening, ListenLimits, ListenOptions } from "./listen.ts"
export { serve } from "./serve.ts"
export type { ServeOptions } from "./serve.ts"
