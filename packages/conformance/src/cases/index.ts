/** Every case, family by family. */
import type { Case } from "../case.ts"
import { answerCases } from "./answers.ts"
import { askCases } from "./asks.ts"
import { clientCases } from "./clients.ts"
import { contractCases } from "./contract.ts"
import { eventCases } from "./events.ts"
import { failureCases } from "./failures.ts"
import { inputCases } from "./input.ts"
import { pageCases } from "./pages.ts"
import { principalCases } from "./principals.ts"
import { promptCases } from "./prompts.ts"
import { sessionCases } from "./sessions.ts"
import { terminalCases } from "./terminals.ts"
import { travelCases } from "./travels.ts"
import { turnCases } from "./turns.ts"

export const allCases: readonly Case[] = [
  ...contractCases,
  ...sessionCases,
  ...travelCases,
  ...pageCases,
  ...promptCases,
  ...eventCases,
  ...failureCases,
  ...clientCases,
  ...turnCases,
  ...askCases,
  ...answerCases,
  ...terminalCases,
  ...principalCases,
  ...inputCases,
]
