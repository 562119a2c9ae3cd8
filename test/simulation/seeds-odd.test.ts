/** The other half of the seeds, if there is one, and that a seed decides everything. */
import { declareSameness, declareSeeds, shards } from "./declare.ts"

if (shards > 1) declareSeeds(1)
declareSameness()
