/** The other half of the seeds, or a few; run again, they show that a seed decides everything. */
import { declareSameness, declareSeeds } from "./declare.ts"

declareSameness(declareSeeds(1))
