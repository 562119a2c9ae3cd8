/** Names for what lies inside the records of the contract. */
import type { AssistantMessage, Fact, PartRecorded, SentRequest, UserMessage } from "./generated/records.ts"

export type FactType = Fact["type"]
export type FactOf<T extends FactType> = Extract<Fact, { readonly type: T }>

export type Part = AssistantMessage["parts"][number]["part"]
export type CallPart = Extract<Part, { readonly type: "call" }>
/** A call as the model asked for it, before it has a state. */
export type CallRequest = Extract<PartRecorded["part"], { readonly type: "call" }>

export type Media = NonNullable<UserMessage["images"]>[number]
export type Verdict = SentRequest["verdict"]
