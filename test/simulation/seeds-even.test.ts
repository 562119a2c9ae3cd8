/** One half of the seeds, or all. */
import { declareSeeds } from "./declare.ts"

declareSeeds(0)
