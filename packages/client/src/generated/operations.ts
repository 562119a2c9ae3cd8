// Made from the contract by `npm run codegen`; changes here are lost.

import type { Operation } from "../transport.ts"

/** Which contract this is; `health` of a server names its own. */
export const contractVersion = "1"

export const operations = {
  "health.get": { method: "GET", path: "/api/health", answer: "json" },
  "sessions.create": { method: "POST", path: "/api/session", rest: "payload", answer: "json" },
  "sessions.list": { method: "GET", path: "/api/session", rest: "query", answer: "json" },
  "sessions.active": { method: "GET", path: "/api/active", rest: "query", answer: "json" },
  "sessions.get": { method: "GET", path: "/api/session/:sessionID", answer: "json" },
  "sessions.update": { method: "PATCH", path: "/api/session/:sessionID", rest: "payload", answer: "json" },
  "sessions.delete": { method: "DELETE", path: "/api/session/:sessionID", answer: "empty" },
  "sessions.fork": { method: "POST", path: "/api/session/:sessionID/fork", rest: "payload", answer: "json" },
  "sessions.move": { method: "POST", path: "/api/session/:sessionID/move", rest: "payload", answer: "json" },
  "sessions.archive": {
    method: "POST",
    path: "/api/session/:sessionID/archive",
    rest: "payload",
    answer: "json",
  },
  "sessions.prompt": {
    method: "POST",
    path: "/api/session/:sessionID/prompt",
    rest: "payload",
    answer: "json",
  },
  "sessions.inbox": { method: "GET", path: "/api/session/:sessionID/inbox", rest: "query", answer: "json" },
  "sessions.edit": {
    method: "PATCH",
    path: "/api/session/:sessionID/inbox/:promptID",
    rest: "payload",
    answer: "json",
  },
  "sessions.cancel": { method: "DELETE", path: "/api/session/:sessionID/inbox/:promptID", answer: "json" },
  "sessions.interrupt": { method: "POST", path: "/api/session/:sessionID/interrupt", answer: "empty" },
  "sessions.resume": { method: "POST", path: "/api/session/:sessionID/resume", answer: "empty" },
  "sessions.model": { method: "GET", path: "/api/session/:sessionID/model", answer: "json" },
  "sessions.switchModel": {
    method: "POST",
    path: "/api/session/:sessionID/model",
    rest: "payload",
    answer: "json",
  },
  "sessions.wait": { method: "GET", path: "/api/session/:sessionID/wait", answer: "json" },
  "sessions.messages": {
    method: "GET",
    path: "/api/session/:sessionID/message",
    rest: "query",
    answer: "json",
  },
  "sessions.message": { method: "GET", path: "/api/session/:sessionID/message/:messageID", answer: "json" },
  "sessions.quarantine": {
    method: "POST",
    path: "/api/session/:sessionID/message/:messageID/quarantine",
    answer: "empty",
  },
  "sessions.fold": { method: "POST", path: "/api/session/:sessionID/fold", answer: "empty" },
  "sessions.probe": {
    method: "POST",
    path: "/api/session/:sessionID/probe",
    rest: "payload",
    answer: "json",
  },
  "sessions.image": { method: "GET", path: "/api/session/:sessionID/image/:handle", answer: "bytes" },
  "sessions.context": {
    method: "GET",
    path: "/api/session/:sessionID/context",
    rest: "query",
    answer: "json",
  },
  "sessions.request": { method: "GET", path: "/api/session/:sessionID/request", answer: "json" },
  "sessions.events": {
    method: "GET",
    path: "/api/session/:sessionID/event",
    rest: "query",
    answer: "events",
  },
  "sessions.history": {
    method: "GET",
    path: "/api/session/:sessionID/history",
    rest: "query",
    answer: "json",
  },
  "sessions.turns": { method: "GET", path: "/api/session/:sessionID/turn", rest: "query", answer: "json" },
  "sessions.verify": { method: "GET", path: "/api/session/:sessionID/verify", rest: "query", answer: "json" },
  "sessions.sentRequest": {
    method: "GET",
    path: "/api/session/:sessionID/turn/:turnID/request",
    answer: "json",
  },
  "events.subscribe": { method: "GET", path: "/api/event", rest: "query", answer: "events" },
  "models.get": { method: "GET", path: "/api/model", rest: "query", answer: "json" },
  "ptys.create": { method: "POST", path: "/api/pty", rest: "payload", answer: "json" },
  "ptys.list": { method: "GET", path: "/api/pty", rest: "query", answer: "json" },
  "ptys.get": { method: "GET", path: "/api/pty/:ptyID", answer: "json" },
  "ptys.resize": { method: "POST", path: "/api/pty/:ptyID/size", rest: "payload", answer: "json" },
  "ptys.write": { method: "POST", path: "/api/pty/:ptyID/input", rest: "payload", answer: "empty" },
  "ptys.attach": { method: "GET", path: "/api/pty/:ptyID/output", rest: "query", answer: "events" },
  "ptys.close": { method: "DELETE", path: "/api/pty/:ptyID", answer: "empty" },
  "ptys.ticket": { method: "POST", path: "/api/pty/:ptyID/ticket", answer: "json" },
} as const satisfies Readonly<Record<string, Operation>>
