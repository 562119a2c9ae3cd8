/** One half of the seeds, or nearly all. */
import { declareSeeds } from "./declare.ts"

declareSeeds(0)
