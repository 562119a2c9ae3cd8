/**
 * Ids that follow from what they name: the same message of the same session has the same id wherever
 * and whenever it is imported, so that again is a no-op and more of a file goes behind what is there (IM1).
 */
import { hash } from "node:crypto"
import {
  type CallId,
  idFromBytes,
  type IdPrefix,
  type MessageId,
  type NoticeId,
  type PromptId,
  type SessionId,
  type TurnId,
} from "@holdfast/schema/id"
import type { Agent } from "../record.ts"

/** Whose session it is; the chain is "" for the first way through it, else its first own message. */
export interface ForeignSession {
  readonly agent: Agent
  readonly session: string
  readonly chain: string
}

export const sessionIdOf = ({ agent, session, chain }: ForeignSession): SessionId =>
  derived("ses", agent, session, chain) as SessionId

/** Ids are looked for within a Session, and ways that share a message share its id. */
export const inputMessageIdOf = ({ agent, session }: ForeignSession, native: string): MessageId =>
  derived("msg", agent, session, "input", native) as MessageId

export const answerMessageIdOf = ({ agent, session }: ForeignSession, native: string): MessageId =>
  derived("msg", agent, session, "answer", native) as MessageId

export const turnIdOf = ({ agent, session }: ForeignSession, native: string): TurnId =>
  derived("trn", agent, session, native) as TurnId

/** The agent's ids of calls can repeat in one session (TG7). */
export const callIdOf = ({ agent, session }: ForeignSession, native: string, nth: number): CallId =>
  derived("call", agent, session, native, String(nth)) as CallId

/** Unique in a store, so that each way through a session has its own (PR2). */
export const promptIdOf = ({ agent, session, chain }: ForeignSession, native: string): PromptId =>
  `${importedMark}${digest(agent, session, chain, native).slice(0, 32)}` as PromptId

export const noticeIdOf = ({ agent, session }: ForeignSession, native: string): NoticeId =>
  `${importedMark}${digest(agent, session, native).slice(0, 32)}` as NoticeId

/** What imported prompts and notices begin with: no prompt that is admitted here is given such an id by itself. */
export const importedMark = "import:"

const digest = (...names: readonly string[]): string => hash("sha256", JSON.stringify(names))

const derived = (prefix: IdPrefix, ...names: readonly string[]): string =>
  idFromBytes(prefix, Buffer.from(digest(prefix, ...names), "hex"))
