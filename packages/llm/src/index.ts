/** What the package offers. Adding a line here is an API decision. */
export { anthropicMessages } from "./anthropic-messages/index.ts"
export { bedrockConverse } from "./bedrock-converse/index.ts"
export { chainOf, extendsRequest, firstDifference, foldHashes, requestHash } from "./blocks.ts"
export type { Link, RequestIdentity } from "./blocks.ts"
export { expectedCacheRead } from "./cache-expectation.ts"
export type { CacheQuestion } from "./cache-expectation.ts"
export { canonicalJson } from "./canonical.ts"
export { catalogModels, findModel, priceFor, traitsOf } from "./catalog.ts"
export type { CatalogModel, CatalogOverride, WireName } from "./catalog.ts"
export { gemini } from "./gemini/index.ts"
export { ingestOptions } from "./ingest-options.ts"
export type { IngestedOptions } from "./ingest-options.ts"
export { makeHttpTransport } from "./http-transport.ts"
export { openaiChat } from "./openai-chat/index.ts"
export { openaiResponses } from "./openai-responses/index.ts"
export { plainOptions } from "./options.ts"
export type {
  GenerationControls,
  ModelRequestOptions,
  ModelTraits,
  Reasoning,
  RequestOptions,
  StructuredOutput,
  ToolChoice,
} from "./options.ts"
export type { ReadRequest } from "./reading/read-request.ts"
export type { Entry, EntryPart, Segments, Target, ToolDefinition } from "./segments.ts"
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
  SigningCredentials,
  StreamDecoder,
  StreamEvent,
  StreamLimits,
  Transport,
  Wire,
  WireRequest,
  WireResponse,
} from "./wire.ts"
