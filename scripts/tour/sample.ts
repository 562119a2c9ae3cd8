/**
 * The sample project and what is asked of the agent.
 *
 * Each command writes its execution into `ledger.txt` by itself, with the id of the call that it
 * runs in: a count that the runtime has no hand in. `confirm.js` does so in the middle of its work,
 * so that whoever kills it cannot know whether it had come to that.
 */

export const sampleFiles: Readonly<Record<string, string>> = {
  "README.md": "# Corner bakery\n\nTakes orders in the evening and bakes at night.\n",
  "prices.md": "# Prices\n\nA rye is 4 euros today, a roll is 1.\n",
  "AGENTS.md": "Answer in short sentences.\n",
  "bake.js": `const { appendFileSync } = require("node:fs")
appendFileSync("ledger.txt", \`bake \${process.env.HOLDFAST_CALL}\\n\`)
setTimeout(() => console.log("Eight pieces baked."), 900)
`,
  "confirm.js": `const { appendFileSync } = require("node:fs")
setTimeout(() => appendFileSync("ledger.txt", \`confirm \${process.env.HOLDFAST_CALL}\\n\`), 500)
setTimeout(() => console.log("Ada and Grace have been told."), 1_500)
`,
  "ledger.txt": "",
}

/** What AGENTS.md says after somebody has changed it halfway. */
export const changedInstructions = "Answer in short sentences. Rye is sold out: never promise it.\n"

export interface TourPrompt {
  /** Chosen by the tour, so that sending it again is safe. */
  readonly id: string
  readonly text: string
}

export const prompts = {
  work: {
    id: "tour-work",
    text: "Read README.md, run `node bake.js` and write what you found to NOTES.md.",
  },
  plan: { id: "tour-plan", text: "Run `node bake.js` for tomorrow, then write a plan to PLAN.md." },
  steer: { id: "tour-steer", text: "Wait, no plan. Read prices.md: what does a rye cost?" },
  confirm: {
    id: "tour-confirm",
    text: "Run `node confirm.js`, then read ledger.txt and write what happened to REPORT.md.",
  },
} as const satisfies Record<string, TourPrompt>
