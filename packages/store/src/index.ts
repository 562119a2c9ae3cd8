/** The store of Holdfast: its port, and SQLite behind it on a writer thread or inline. */
export { dataFile } from "./data-file.ts"
export { openInlineStore } from "./inline-store.ts"
export type { Gate, InlineStoreOptions } from "./inline-store.ts"
export type { Command, OutcomeOf, Store } from "./port.ts"
export { openReadOnlyStore } from "./read-only-store.ts"
export { schemaVersion } from "./sqlite/migrate.ts"
export { openThreadStore } from "./thread-store.ts"
export type { ThreadStoreOptions } from "./thread-store.ts"
