/** How many cases each property tries: a few hundred with the other tests, more on request. */
export const numRuns = Math.max(1, Number(process.env["HOLDFAST_DIFFERENTIAL_RUNS"] ?? 300))

/** Large counts need more than the usual time of a test. */
export const timeoutMs = 30_000 + numRuns * 100
