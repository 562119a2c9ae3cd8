/** One half of the seeds. */
import { declareSeeds } from "./declare.ts"

declareSeeds(0, 2)
