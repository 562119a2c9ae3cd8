/** Configuration: what the host and other packages may use of it. */
export { makeConfigured, nothingConfigured, type Configured } from "./configured.ts"
export { decodeUserFile } from "./decode.ts"
export { configDirectory, dataDirectory, type Environment, homeOf } from "./directories.ts"
export {
  examineConfiguration,
  type ConfigurationExamination,
  type ConfigurationLayer,
  type ExaminedProvider,
} from "./examine.ts"
export { loadCatalog, openCatalog } from "./fetched-catalog.ts"
export { listModels, type ListedModel, type ModelListing, type ListedProvider } from "./listing.ts"
export { loadProjectSettings, loadUserSettings, type ReadFile } from "./load.ts"
export {
  describeModel,
  describeProviders,
  fallbackFault,
  helperWarnings,
  resolveModels,
  type ModelInfo,
  type ProviderInfo,
  type ResolveModel,
} from "./models.ts"
export { catalogUrlDefault, refreshCatalog, type CatalogRefresh } from "./refresh-catalog.ts"
export { asReserve, mergeSettings, noSettings, type Settings } from "./settings.ts"
