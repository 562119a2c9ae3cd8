/**
 * Ruling: what becomes of a call by what the rules say to it, before anything of it has started.
 *
 *   allow ─▶ free
 *   deny  ─▶ settled as declined, whatever anybody approved
 *   ask   ─▶ asking, with its ask on record (PE3); where the Session declared that nobody can answer
 *            (PE4), the answer stands beside the ask: free, or settled as declined
 *
 * A question is an ask that only a person can answer; without one it settles with a fixed text.
 */
import { Effect } from "effect"
import type { Fact } from "@holdfast/schema/event"
import type { AskId } from "@holdfast/schema/id"
import type { CallOutcome, CallRequest } from "@holdfast/schema/message"
import type { Reason } from "@holdfast/schema/turn"
import type { Resource, Verdict } from "../../permission/verdict.ts"
import { boundOutput } from "../../tools/index.ts"
import type { Question } from "../../tools/tool.ts"
import type { Calls } from "../calls.ts"
import { permittedTo } from "../lead.ts"
import { settledFact } from "../settlement.ts"

export const askingReason: Reason = {
  code: "asking",
  message: "Somebody has to answer before the work goes on. Nothing runs until then.",
}

export type Ruling =
  /** `paths` are what it may open; where nobody judges, whatever is inside the project. */
  | { readonly kind: "free"; readonly facts: readonly Fact[]; readonly paths: readonly string[] | undefined }
  | { readonly kind: "asking"; readonly facts: readonly Fact[] }
  /** `fails` ends the turn, too. */
  | { readonly kind: "settled"; readonly facts: readonly Fact[]; readonly fails: Reason | null }

/** Judged by what the files and the rules are now; `granted` is what a person allowed this call to touch. */
export const ruleOn = Effect.fnUntraced(function* (
  calls: Calls,
  request: CallRequest,
  granted: readonly Resource[],
): Effect.fn.Return<Ruling> {
  const { tools, authorise, lead } = calls
  const { name, input } = request
  const question = tools.get(name)?.question?.(input) ?? null
  const verdict: Verdict =
    authorise === undefined || tools.get(name) === undefined
      ? { kind: "allow" }
      : yield* authorise({ name, input, ...permittedTo(lead), granted })
  if (verdict.kind === "deny")
    return { kind: "settled", facts: [declined(calls, request, verdict.message, "denied")], fails: null }
  if (question !== null) return askQuestion(calls, request, question)
  return verdict.kind === "allow" ? freed(verdict) : askPermission(calls, request, verdict)
})

const freed = ({ paths }: Exclude<Verdict, { kind: "deny" }>, ...facts: readonly Fact[]): Ruling => ({
  kind: "free",
  facts,
  paths,
})

function askPermission(
  calls: Calls,
  request: CallRequest,
  verdict: Extract<Verdict, { kind: "ask" }>,
): Ruling {
  const { resources, rule } = verdict
  const touched = resources.map(({ action, resource }) => `${action}(${resource})`)
  const raised = raise(calls, request, {
    question: `Allow ${touched.join(", ") || request.name}?`,
    resources,
    rule,
    options: widerRules(resources),
  })
  switch (calls.lead.loaded.state.summary.onAsk) {
    case "wait":
      return { kind: "asking", facts: [raised] }
    case "allow":
      return freed(verdict, raised, answer(raised.ask, "allow"))
    case "deny":
      return {
        kind: "settled",
        facts: [raised, answer(raised.ask, "decline"), declined(calls, request, nobodyAllows(touched))],
        fails: null,
      }
    case "fail":
      return {
        kind: "settled",
        facts: [raised, answer(raised.ask, "decline"), declined(calls, request, nobodyAllows(touched))],
        fails: permissionNeeded(request.name, touched),
      }
  }
}

/** What a person may want to allow for longer than this once, beside exactly what is asked. */
const widerRules = (resources: readonly Resource[]): readonly string[] =>
  resources.some(({ action }) => action === "write") ? ["write"] : []

function askQuestion(calls: Calls, request: CallRequest, { question, options }: Question): Ruling {
  const raised = raise(calls, request, { question, resources: [], rule: null, options })
  if (calls.lead.loaded.state.summary.onAsk === "wait") return { kind: "asking", facts: [raised] }
  const facts = [raised, answer(raised.ask, "answer", nobodyAnswers), answered(calls, request, nobodyAnswers)]
  return { kind: "settled", facts, fails: null }
}

type Raised = Extract<Fact, { type: "ask.raised" }>

const raise = (
  { lead, opened: { turn, message }, agent }: Calls,
  { call }: CallRequest,
  asked: Pick<Raised, "question" | "resources" | "rule" | "options">,
): Raised => ({
  type: "ask.raised",
  ask: lead.ports.newId("ask") as AskId,
  subject: { kind: "call", turn, message, call },
  ...asked,
  agent,
})

const answer = (ask: AskId, decision: "allow" | "decline" | "answer", text: string | null = null): Fact => ({
  type: "ask.answered",
  ask,
  decision,
  scope: "once",
  text,
  by: "on-ask",
})

const settle = (
  { opened: { turn, message } }: Pick<Calls, "opened">,
  { call }: CallRequest,
  { output, ...outcome }: Pick<CallOutcome, "state" | "output" | "errorCode">,
): Fact => {
  // What a person says has the limit of every settlement (TO1); all of it stands in the answer to the ask.
  const { text, truncated } = boundOutput(output)
  return settledFact({ turn, message, call }, { ...outcome, output: text, truncated })
}

export const declined = (
  calls: Pick<Calls, "opened">,
  request: CallRequest,
  output: string,
  errorCode: "declined" | "denied" = "declined",
): Fact => settle(calls, request, { state: "declined", output, errorCode })

export const answered = (calls: Pick<Calls, "opened">, request: CallRequest, output: string): Fact =>
  settle(calls, request, { state: "done", output, errorCode: null })

/** What the model reads of a person's no. */
export const declinedText = (text: string | null): string =>
  text === null || text.trim() === ""
    ? "The user declined this call, and it was not run. Go on in another way, or ask what to do instead."
    : `The user declined this call, and it was not run. They said: ${text}`

const nobodyAllows = (touched: readonly string[]): string =>
  `This call needs a permission that nobody is there to give (${touched.join(", ")}), so it was not run. Go on without it, and say in the end what you could not do.`

const nobodyAnswers =
  "Nobody is there to answer questions in this session. Decide by yourself, and say what you assumed."

const permissionNeeded = (name: string, touched: readonly string[]): Reason => ({
  code: "permission_needed",
  message: `The model called ${name}, which needs a permission: ${touched.join(", ")}. The Session was told to fail where somebody would have to be asked. Allow it by a rule, then resume.`,
})
