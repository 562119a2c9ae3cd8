/** Todo: a step of the work, as the model keeps its list with the Session. */
import { Schema } from "effect"

export const Todo = Schema.Struct({
  content: Schema.String,
  status: Schema.Literals(["pending", "in_progress", "completed", "cancelled"]),
})
export type Todo = typeof Todo.Type
