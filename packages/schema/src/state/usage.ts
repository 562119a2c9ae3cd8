/** Sums of usage. Apart from its schema, because the fold adds it up where no effect is loaded. */
import type { Usage } from "../model.ts"

export const addUsage = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
})
