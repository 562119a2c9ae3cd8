/** The other half of the seeds. */
import { declareSeeds } from "./declare.ts"

declareSeeds(1, 2)
