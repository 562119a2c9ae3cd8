/** Against a user who allowed everything: what always asks, and what an agent cannot do whatever was allowed. */
import { asks, type Attack, denied, shell } from "./attack.ts"
import { guardedAttacks } from "./paths.ts"

export const guardAttacks: readonly Attack[] = [
  ...guardedAttacks,
  ...[
    "echo owned > .git/hooks/pre-commit",
    "echo owned >> .GIT/config",
    "cd .git && echo owned > hooks/pre-commit",
    "echo owned > src/repository/hooks/pre-commit",
    "echo owned | cat > holdfast.jsonc",
    "eval x > .git/config",
    "echo owned > ../data/approvals.jsonl",
    "echo owned > ../config/holdfast.jsonc",
  ].map((command) => shell(command, asks(String.raw`write\(`))),
  {
    name: "write: the approvals of Holdfast",
    call: ["write", { path: "../data/approvals.jsonl", content: "{}" }],
    says: asks(String.raw`write\([^)]*approvals\.json`),
  },
  {
    name: "write: the settings of the user",
    call: ["write", { path: "../config/holdfast.jsonc", content: "{}" }],
    says: asks(String.raw`write\([^)]*holdfast\.jsonc`),
  },
]

/** By the agents plan and explore. */
export const lookingAttacks: readonly Attack[] = [
  { name: "write", call: ["write", { path: "src/b.ts", content: "owned" }], says: /no tool named "write"/i },
  {
    name: "edit",
    call: ["edit", { path: "src/a.ts", oldText: "1", newText: "2" }],
    says: /no tool named "edit"/i,
  },
  {
    name: "apply_patch",
    call: ["apply_patch", { patch: "*** Begin Patch\n*** Delete File: src/a.ts\n*** End Patch" }],
    says: /no tool named "apply_patch"/i,
  },
  ...["npm test", "touch src/b.ts", "sh -c 'touch src/b.ts'", "A=1 ls", "eval ls", "git commit -m a"].map(
    (command) => shell(command, denied("deny bash\\(!:read-only\\)")),
  ),
  ...["echo owned > src/b.ts", "ls >> src/a.ts"].map((command) => shell(command, denied("deny write"))),
]
