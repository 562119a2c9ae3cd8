/** The categories of memory and its bound (MM1), apart because the writer of the store loads no schema. */
export const memoryCategories = [
  "PROJECT_RULES",
  "ARCHITECTURE",
  "CONSTRAINTS",
  "CONFIG_VALUES",
  "NAMING",
] as const

/** Characters of one memory. */
export const memoryTextMax = 2_000

/** What a run of the dreamer does, in this order (DM1); the first asks no model. */
export const dreamTasks = [
  "tidy",
  "consolidate",
  "verify",
  "archive-stale",
  "improve",
  "smart-notes",
  "maintain-docs",
  "key-files",
  "profile",
] as const
