/**
 * A strict model provider: pure core, loopback server, scripted and offline models, faults.
 */
export { createProviderSim, sourceMarks } from "./sim.ts"
export type { ProviderSim, ReplySummary, SimRecord } from "./sim.ts"
export { listen } from "./server.ts"
export type { ListenOptions, ListeningSim } from "./server.ts"
export type { SimFrame, SimRequest, SimResponse } from "./exchange.ts"
export type { ChatDialect, Reply, ReplyBlock, RequestView, SimModel } from "./model.ts"
export type { ImagePlace, ViewBlock, ViewImage, ViewMessage, ViewTool } from "./model.ts"
export type { AwsKey, ProviderSimOptions, WireName } from "./sim-wire.ts"
export type { SourceCount, SourceMarks } from "./sources.ts"
export type { Fault, ImageName } from "./faults.ts"
export { faulty, poisoned, scripted, textReply } from "./scripted.ts"
export type { DirectiveStep } from "./scripted.ts"
export { offlineAgent } from "./offline/agent.ts"
export { createCacheOracle } from "./anthropic-messages/cache-oracle.ts"
export type { CacheOracle } from "./anthropic-messages/cache-oracle.ts"
export type { CacheMeasure, CacheUsage } from "./anthropic-messages/marker-cache.ts"
