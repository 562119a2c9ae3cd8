/** The other half of the seeds, and that a seed decides everything. */
import { declareSameness, declareSeeds } from "./declare.ts"

declareSeeds(1, 2)
declareSameness()
