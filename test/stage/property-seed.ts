/** Properties of `npm test` meet the cases that follow from the commit: what passed on it passes again. */
import { configureGlobal } from "fast-check"

const seed = process.env["PROPERTY_SEED"]
if (seed !== undefined) configureGlobal({ seed: Number(seed) })
