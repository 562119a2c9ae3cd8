/**
 * Endings: how a run can end, and what each is told as: by its exit code, by its record and the log,
 * and by the API. The names, exit codes, statuses and codes are the table of docs/commands.md.
 */
import type { RunStatus } from "@holdfast/schema/run-result"
import type { SessionStatus } from "@holdfast/schema/session"
import type { DirectiveStep } from "@holdfast/provider-sim"

/** How the command and its record tell it. */
export interface Told {
  readonly name: string
  readonly exit: number
  readonly status: RunStatus
  readonly code: string | null
}

/** A prompt was taken up, so it is told by the log and by the API too. */
export interface Ending extends Told {
  /** The last fact of the log: its type, its status and the code of its reason. */
  readonly last: string
  readonly state: SessionStatus["state"]
  readonly prompt: string
  readonly args?: readonly string[]
  readonly stop?: Stop
}

interface Stop {
  /** A type of fact: as soon as it is on record. */
  readonly after: string
  readonly by: NodeJS.Signals | "interrupt" | "deadline"
}

/** Nothing was begun: the command line, or the request, is refused. */
export interface Refusal extends Told {
  readonly args: readonly string[]
  readonly request: { readonly path: string; readonly body: object }
  readonly answer: { readonly status: number; readonly tag: string }
}

export const directive = (...steps: readonly DirectiveStep[]) => `@@SIM${JSON.stringify({ steps })}@@`

const bash = (command: string): DirectiveStep => ({ tools: [{ name: "bash", input: { command } }] })
const sleeping = directive(bash("sleep 60"), { text: "Slept." })
const writing = directive({ tools: [{ name: "write", input: { path: "a", content: "b" } }] }, { text: "No." })
const again = (step: DirectiveStep) => directive(...Array.from({ length: 5 }, () => step))
const refused: DirectiveStep["fault"] = {
  kind: "refused",
  status: 400,
  type: "invalid_request_error",
  message: "Not this.",
}

type Row = Omit<Ending, "exit" | "status" | "code" | "last" | "state">

const done = (row: Row): Ending => ({
  ...row,
  exit: 0,
  status: "done",
  code: null,
  last: "turn.settled done",
  state: "idle",
})
const failed = (code: string, row: Row): Ending => ({
  ...row,
  exit: 1,
  status: "failed",
  code,
  last: `turn.settled failed ${code}`,
  state: "failed",
})
const interrupted = (row: Row): Ending => ({
  ...row,
  exit: 130,
  status: "interrupted",
  code: "interrupted",
  last: "turn.settled interrupted interrupted",
  state: "interrupted",
})

/** Those that wait between attempts come first, so that the others run meanwhile. */
export const endings: readonly Ending[] = [
  failed("overloaded", {
    name: "the provider stays overloaded",
    prompt: directive({ fault: { kind: "overloaded" } }),
  }),
  failed("transport", {
    name: "nothing answers at the provider's address",
    prompt: "Hello.",
    args: ["--model", "absent/agent"],
  }),
  failed("malformed_stream", {
    name: "the provider's answer cannot be read",
    prompt: directive({ text: "Well.", fault: { kind: "malformed-json" } }),
  }),
  {
    ...failed("stream_cut", {
      name: "the answer breaks off each time",
      prompt: again({
        text: "a".repeat(40_000),
        chunkChars: 20_000,
        fault: { kind: "cut", afterDeltas: 1 },
      }),
    }),
    // Each of its turns was interrupted by its cause (TU4).
    last: "turn.settled interrupted stream_cut",
  },
  done({ name: "the model has answered", prompt: "Read README.md." }),
  done({
    name: "it has answered after an attempt that failed",
    prompt: directive({ text: "Well.", fault: { kind: "overloaded" }, faultTries: 1 }),
  }),
  done({
    name: "it has answered, though a call failed",
    prompt: directive({ tools: [{ name: "read", input: { path: "absent" } }] }, { text: "There is none." }),
  }),
  done({
    name: "it has answered, though a call was declined",
    prompt: writing,
  }),
  {
    name: "somebody has to allow a call",
    exit: 3,
    status: "asking",
    code: "asking",
    last: "turn.settled asking asking",
    state: "asking",
    prompt: writing,
    args: ["--on-ask", "wait"],
  },
  failed("permission_needed", {
    name: "a call needs a permission, with `--on-ask fail`",
    prompt: writing,
    args: ["--on-ask", "fail"],
  }),
  failed("authentication", {
    name: "the provider refuses the key",
    prompt: directive({ fault: { kind: "unauthorized" } }),
  }),
  failed("invalid_request", {
    name: "the provider refuses the request",
    prompt: directive({ fault: refused }),
  }),
  failed("quota", {
    name: "the account has no credit",
    prompt: directive({ fault: { kind: "out-of-credit" } }),
  }),
  {
    ...failed("rate_limit", {
      name: "the provider asks for a wait of more than 5 minutes",
      prompt: directive({ fault: { kind: "rate-limited", retryAfter: 3_600 } }),
    }),
    last: "session.updated rate_limit",
    state: "waiting",
  },
  failed("window_exceeded", {
    name: "the request is too long and cannot be reduced",
    prompt: directive({ fault: { kind: "overflow" } }),
  }),
  failed("refusal", {
    name: "the model declines to answer",
    prompt: directive({ text: "No.", stopReason: "refusal" }),
  }),
  failed("output_limit", {
    name: "the answer reaches the model's output limit",
    prompt: directive({ text: "To begin with", stopReason: "max_tokens" }),
  }),
  failed("calls_repeated", {
    name: "the model makes the same call again and again",
    prompt: again({ tools: [{ name: "read", input: { path: "absent" } }] }),
  }),
  failed("empty_answer", { name: "the model ends without an answer", prompt: directive({ text: "" }) }),
  {
    name: "the budget of the Session is spent",
    exit: 3,
    status: "blocked",
    code: "budget_spent",
    last: "session.updated budget_spent",
    state: "blocked",
    prompt: directive({ tools: [{ name: "read", input: { path: "absent" } }] }, { text: "There is none." }),
    args: ["--budget-tokens", "1"],
  },
  interrupted({
    name: "Ctrl-C while the model writes",
    prompt: directive({ text: "Well, then.", chunkChars: 1, fault: { kind: "stall", afterDeltas: 3 } }),
    stop: { after: "turn.started", by: "SIGINT" },
  }),
  interrupted({
    name: "Ctrl-C while a call runs",
    prompt: sleeping,
    args: ["--allow", "bash"],
    stop: { after: "call.started", by: "SIGINT" },
  }),
  interrupted({
    name: "SIGTERM",
    prompt: sleeping,
    args: ["--allow", "bash"],
    stop: { after: "call.started", by: "SIGTERM" },
  }),
  interrupted({
    name: "an interrupt by another command or client",
    prompt: sleeping,
    args: ["--allow", "bash"],
    stop: { after: "call.started", by: "interrupt" },
  }),
  {
    ...interrupted({
      name: "the deadline passes",
      prompt: sleeping,
      args: ["--allow", "bash", "--deadline", "3s"],
      stop: { after: "call.started", by: "deadline" },
    }),
    code: "deadline",
  },
]

export const gone: Told & Pick<Ending, "last" | "state"> = {
  name: "the directory of the Session is gone",
  exit: 3,
  status: "blocked",
  code: "location_missing",
  last: "session.updated location_missing",
  state: "blocked",
}

export const withdrawn: readonly (Told & { readonly by: "SIGINT" | "cancel" })[] = [
  {
    name: "Ctrl-C while the prompt waits behind other work",
    exit: 130,
    status: "interrupted",
    code: "withdrawn",
    by: "SIGINT",
  },
  {
    name: "another command or client cancels the prompt while it waits",
    exit: 130,
    status: "interrupted",
    code: "withdrawn",
    by: "cancel",
  },
]

const wrong = (code: string, row: Omit<Refusal, "exit" | "status" | "code">): Refusal => ({
  ...row,
  exit: 2,
  status: "failed",
  code,
})

export const refusals: readonly Refusal[] = [
  wrong("usage", {
    name: "the prompt is empty",
    args: ["run", " "],
    request: { path: "/session/{session}/prompt", body: { text: " " } },
    answer: { status: 400, tag: "PromptRefused" },
  }),
  wrong("model_not_found", {
    name: "nothing knows the model",
    args: ["run", "--model", "offline/absent", "Hello."],
    request: { path: "/session", body: { model: "offline/absent" } },
    answer: { status: 400, tag: "ModelNotFound" },
  }),
  wrong("credential", {
    name: "the key of the provider cannot be had",
    args: ["run", "--model", "locked/agent", "Hello."],
    request: { path: "/session", body: { model: "locked/agent" } },
    answer: { status: 400, tag: "ModelNotFound" },
  }),
  wrong("session_not_found", {
    name: "there is no such Session",
    args: ["run", "--session", "ses_absent", "Hello."],
    request: { path: "/session/ses_absent/prompt", body: { text: "Hello." } },
    answer: { status: 404, tag: "SessionNotFound" },
  }),
  wrong("location_missing", {
    name: "there is no such directory",
    args: ["run", "--dir", "absent", "Hello."],
    request: { path: "/session", body: { directory: "/absent" } },
    answer: { status: 400, tag: "LocationMissing" },
  }),
  {
    ...wrong("nothing_owed", {
      name: "`resume` of a Session that owes nothing",
      args: ["resume", "{session}"],
      request: { path: "/session/{session}/resume", body: {} },
      answer: { status: 409, tag: "NothingOwed" },
    }),
    exit: 1,
  },
]
