/** Where each method of the contract lies. A test holds this file equal to the contract. */

type Route = readonly [method: "GET" | "POST" | "PATCH" | "DELETE", path: string]

export const routes = {
  "health.get": ["GET", "/api/health"],
  "sessions.create": ["POST", "/api/session"],
  "sessions.list": ["GET", "/api/session"],
  "sessions.active": ["GET", "/api/active"],
  "sessions.get": ["GET", "/api/session/:sessionID"],
  "sessions.update": ["PATCH", "/api/session/:sessionID"],
  "sessions.delete": ["DELETE", "/api/session/:sessionID"],
  "sessions.prompt": ["POST", "/api/session/:sessionID/prompt"],
  "sessions.inbox": ["GET", "/api/session/:sessionID/inbox"],
  "sessions.editPrompt": ["PATCH", "/api/session/:sessionID/inbox/:promptID"],
  "sessions.cancelPrompt": ["DELETE", "/api/session/:sessionID/inbox/:promptID"],
  "sessions.interrupt": ["POST", "/api/session/:sessionID/interrupt"],
  "sessions.resume": ["POST", "/api/session/:sessionID/resume"],
  "sessions.model": ["GET", "/api/session/:sessionID/model"],
  "sessions.switchModel": ["POST", "/api/session/:sessionID/model"],
  "sessions.result": ["GET", "/api/session/:sessionID/result"],
  "sessions.messages": ["GET", "/api/session/:sessionID/message"],
  "sessions.message": ["GET", "/api/session/:sessionID/message/:messageID"],
  "sessions.quarantine": ["POST", "/api/session/:sessionID/message/:messageID/quarantine"],
  "sessions.fold": ["POST", "/api/session/:sessionID/fold"],
  "sessions.probe": ["POST", "/api/session/:sessionID/probe"],
  "sessions.image": ["GET", "/api/session/:sessionID/image/:handle"],
  "sessions.context": ["GET", "/api/session/:sessionID/context"],
  "sessions.request": ["GET", "/api/session/:sessionID/request"],
  "sessions.events": ["GET", "/api/session/:sessionID/event"],
  "sessions.history": ["GET", "/api/session/:sessionID/history"],
  "sessions.turns": ["GET", "/api/session/:sessionID/turn"],
  "sessions.verify": ["GET", "/api/session/:sessionID/verify"],
  "sessions.sentRequest": ["GET", "/api/session/:sessionID/turn/:turnID/request"],
  "events.subscribe": ["GET", "/api/event"],
  "models.get": ["GET", "/api/model"],
} as const satisfies Record<string, Route>

/** Bytes of a prompt with its images; a server takes no more. */
export const promptBodyBytesMax = 64 * 1_048_576

/** The header of an image's answer that says what it is. */
export const mediaHeader = "holdfast-media"

export type RouteName = keyof typeof routes
