/** What the package offers at its top; its modules are imported by name. Adding a line here is an API decision. */
export { catalogModels, findModel, priceFor, traitsOf } from "./catalog.ts"
export type { CatalogModel, CatalogOverride, WireName } from "./catalog.ts"
export { ingestOptions } from "./ingest-options.ts"
export { makeHttpTransport } from "./http-transport.ts"
export type { GenerationControls, ModelRequestOptions } from "./options.ts"
