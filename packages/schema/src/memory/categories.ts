/** The categories of memory and its bound (MM1), apart because the writer of the store loads no schema. */
export const memoryCategories = [
  "PROJECT_RULES",
  "ARCHITECTURE",
  "CONSTRAINTS",
  "CONFIG_VALUES",
  "NAMING",
] as const
export type MemoryCategory = (typeof memoryCategories)[number]

/** Characters of one memory. */
export const memoryTextMax = 2_000
