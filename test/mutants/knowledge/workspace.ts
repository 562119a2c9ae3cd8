/** Lies about workspaces: who sees and changes what, and what a change of one does to a window. */
import { type Mutant, tests } from "../mutant.ts"

const window = tests("packages/recall/test/workspace.test.ts")
const session = tests("test/session/memory/workspace.test.ts")
const contract = tests("packages/store/test/contract.test.ts")

const rows = "packages/store/src/sqlite/memory/workspace.ts"
const change = "packages/store/src/sqlite/memory/change.ts"

export const workspaceMutants: readonly Mutant[] = [
  {
    name: "a workspace shares every category",
    rules: ["WS1", "MM2"],
    file: rows,
    find: "\"status = 'active' AND category IN (SELECT value FROM json_each(?)) ORDER BY number DESC LIMIT ?\"",
    replace: "\"status = 'active' AND ? IS NOT NULL ORDER BY number DESC LIMIT ?\"",
    run: session,
  },
  {
    name: "a person reads what a partner does not share",
    rules: ["MM3", "WS1"],
    file: "packages/core/src/memory/calls.ts",
    find: "!partner.categories.includes(memory.category)",
    replace: "partner.categories.length > 99",
    run: session,
  },
  {
    name: "a person changes the memory of a number in the own project",
    rules: ["MM3", "WS1"],
    file: "packages/core/src/memory/calls.ts",
    find: "...(partner !== null && { partner: partner.key })",
    replace: "...(partner === undefined && { partner: 0 })",
    run: session,
  },
  {
    name: "a project goes from one workspace to another",
    rules: ["WS1"],
    file: rows,
    find: "if (other !== undefined) return other.key === workspace.key ? null : { elsewhere: other.name }",
    replace: "if (other?.key === workspace.key) return null",
    run: contract,
  },
  {
    name: "an agent changes what a partner does not share",
    rules: ["MM3"],
    file: change,
    find: "byId: (id) => shared(known.byId(id))",
    replace: "byId: (id) => known.byId(id)",
    run: session,
  },
  {
    name: "an agent takes a partner's memory out of what is shared",
    rules: ["MM3"],
    file: change,
    find: "if (changes.some(leaves)) return",
    replace: "if (changes.length > 99 && changes.some(leaves)) return",
    run: session,
  },
  {
    name: "an agent changes memories of any project",
    rules: ["MM3"],
    file: rows,
    find: "const found = membersOf(connection, workspace.key).find(({ key }) => key === partner)",
    replace:
      'const found = connection.get<KeyedProject>("SELECT key, root, origin, seq, epoch FROM project WHERE key = ?", partner)',
    run: session,
  },
  {
    name: "a workspace that a Session joins waits",
    rules: ["WS1", "HB3"],
    file: "packages/recall/src/memory.ts",
    find: "if (marker === null) return known.partners !== undefined",
    replace: "if (marker === null) return false",
    run: window,
  },
  {
    name: "other members or categories fold nothing",
    rules: ["WS1", "HB3"],
    file: "packages/core/src/memory/known.ts",
    find: "shared === undefined || shared.partners.length === 0",
    replace: "shared === undefined || shared.partners.length < 99",
    run: session,
  },
  {
    name: "a workspace folds at every turn",
    rules: ["WS1", "HB3"],
    file: "packages/recall/src/memory.ts",
    find: "known.partners === undefined ? [] : [partnersHead(known.partners), ...parts]",
    replace: "parts",
    run: window,
  },
  {
    name: "a partner's edit from outside waits",
    rules: ["HB3"],
    file: "packages/recall/src/memory.ts",
    find: "return moved || edited || known.epoch > (marker.epoch ?? marker.seq)",
    replace: "return moved || known.epoch > (marker.epoch ?? marker.seq)",
    run: window,
  },
  {
    name: "a partner's memory without its project",
    rules: ["WS1"],
    file: "packages/recall/src/memory.ts",
    find: "memories.length === 0 ? [] : [fromHead(root as string), ...grouped(memories)]",
    replace: "memories.length === 0 ? [] : grouped(memories)",
    run: window,
  },
  {
    name: "a rebuild without workspaces",
    rules: ["WS1"],
    file: "packages/store/src/sqlite/memory/read.ts",
    find: "if (workspace !== null) projectEvent(connection, key, workspace)",
    replace: "",
    run: tests("packages/store/test/damage.test.ts"),
  },
  {
    name: "search sees only its own project of a workspace",
    rules: ["WS1"],
    file: "packages/core/src/search/others.ts",
    find: "(shared?.partners ?? [])",
    replace: "(shared?.partners ?? []).slice(99)",
    run: session,
  },
]
