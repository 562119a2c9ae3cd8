/** What the package offers. Adding a line here is an API decision. */
export { anthropicMessages } from "./anthropic-messages/index.ts"
export { chainOf, extendsRequest, firstDifference, foldHashes, requestHash } from "./blocks.ts"
export type { Link, RequestIdentity } from "./blocks.ts"
export { expectedCacheRead } from "./cache-expectation.ts"
export type { CacheQuestion } from "./cache-expectation.ts"
export { canonicalJson } from "./canonical.ts"
export { catalogModels, findModel } from "./catalog.ts"
export type { CatalogModel, CatalogOverride } from "./catalog.ts"
export { makeHttpTransport, readErrorBody } from "./http-transport.ts"
export type { Entry, EntryPart, RequestOptions, Segments, Target, ToolDefinition } from "./segments.ts"
export { correctTokens, estimateTokens, nextRatio } from "./size.ts"
export type { ContentClass } from "./size.ts"
export { ProviderFailure } from "./wire.ts"
export type {
  Block,
  Encoded,
  FailureCode,
  Finish,
  LintFault,
  PlacedRequest,
  StreamDecoder,
  StreamEvent,
  StreamLimits,
  Transport,
  Wire,
  WireRequest,
  WireResponse,
} from "./wire.ts"
