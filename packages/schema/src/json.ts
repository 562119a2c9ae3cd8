/** Json: values that survive a round trip through text. Everything durable is made of them. */
import { Schema } from "effect"

export const Json = Schema.Json
export type Json = typeof Json.Type

export const JsonObject = Schema.Record(Schema.String, Json)
export type JsonObject = typeof JsonObject.Type
