/** Version 6 of the tables: facts of a project are found by their type, such as the runs of the dreamer (DM1). */
import { fresh as before } from "./5.ts"

const added = `
CREATE INDEX project_event_type ON project_event(project, type, seq);
`

export const fresh = `${before}${added}`

export const upgrade = added
