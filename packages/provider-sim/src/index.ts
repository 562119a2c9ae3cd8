/**
 * A strict model provider: pure core, loopback server, scripted and offline models, faults.
 */
export { createProviderSim, sourceMarks } from "./sim.ts"
export type { ProviderSim, ProviderSimOptions, ReplySummary, SimRecord } from "./sim.ts"
export { listen } from "./server.ts"
export type { ListenOptions, ListeningSim } from "./server.ts"
export type { SimFrame, SimRequest, SimResponse } from "./exchange.ts"
export type { ChatDialect, Reply, ReplyBlock, RequestView, SimModel } from "./model.ts"
export type { ViewBlock, ViewMessage, ViewTool } from "./model.ts"
export type { WireName } from "./sim-wire.ts"
export type { SourceCount, SourceMarks } from "./sources.ts"
export type { Fault } from "./faults.ts"
export { faulty, scripted, textReply } from "./scripted.ts"
export type { DirectiveStep } from "./scripted.ts"
export { offlineAgent } from "./offline-agent.ts"
export { createCacheOracle } from "./anthropic-messages/cache-oracle.ts"
export type { CacheMeasure, CacheOracle, CacheUsage } from "./anthropic-messages/cache-oracle.ts"
