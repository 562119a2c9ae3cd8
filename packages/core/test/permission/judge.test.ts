/** The order of rules, the project's list, approvals, and what always asks. */
import { expect, test } from "vitest"
import { verdictOf } from "../../src/permission/authorise.ts"
import { judge } from "../../src/permission/judge.ts"
import { writeRule } from "../../src/permission/rule.ts"
import type { Resource } from "../../src/permission/verdict.ts"
import { permissions, type Written } from "./permissions.ts"

const projectRoot = "/srv/app"
const write = (path: string): Resource => ({ action: "write", resource: `${projectRoot}/${path}` })
const read = (path: string): Resource => ({ action: "read", resource: `${projectRoot}/${path}` })
const bash = (resource: string): Resource => ({ action: "bash", resource })

const judged = (resource: Resource, written: Written = {}, options = {}) => {
  const { effect, rule } = judge(resource, permissions(written, options), projectRoot)
  return rule === null ? effect : `${effect}: ${writeRule(rule)}`
}

test("[PE1] asks where no rule fits", () => expect(judged(write("a"), {}, { bare: true })).toBe("ask"))

test("[PE1] lets the last rule that fits decide", () => {
  const user = ["deny write", "allow write(src/**)", "ask write(src/keep/**)"]
  expect(judged(write("a"), { user })).toBe("deny: deny write")
  expect(judged(write("src/a"), { user })).toBe("allow: allow write(src/**)")
  expect(judged(write("src/keep/a"), { user })).toBe("ask: ask write(src/keep/**)")
})

test("[PE1] lets a project narrow what the user allows, and never widen it", () => {
  const user = ["allow write"]
  expect(judged(write("a"), { user, project: ["deny write"] })).toBe("deny: deny write")
  expect(judged(write("a"), { user, project: ["ask write"] })).toBe("ask: ask write")
  expect(judged(write("a"), { user: ["deny write"], project: ["allow write"] })).toBe("deny: deny write")
  expect(judged(write("a"), { user: [], project: ["allow write"] })).toBe("ask")
  expect(judged(write("a"), { user, project: ["deny read"] })).toBe("allow: allow write")
})

test("[PE1] lets the later rules of a project open again what its earlier ones closed, up to the user's", () => {
  const project = ["deny write", "allow write(src/**)"]
  expect(judged(write("src/a"), { user: ["allow write"], project })).toBe("allow: allow write")
  expect(judged(write("b"), { user: ["allow write"], project })).toBe("deny: deny write")
})

test("[PE1] turns ask into allow by an approval, and never deny", () => {
  expect(judged(write("a"), { approved: [write("a")] })).toBe("allow")
  expect(judged(write("b"), { approved: [write("a")] })).toBe("ask")
  expect(judged(write("b"), { approved: ["write"] })).toBe("allow")
  expect(judged(write("a"), { user: ["deny write"], approved: ["write", write("a")] })).toBe(
    "deny: deny write",
  )
  expect(judged(write("a"), { project: ["deny write"], approved: ["write"] })).toBe("deny: deny write")
  expect(judged(write("a"), { user: ["allow write"], project: ["ask write"], approved: ["write"] })).toBe(
    "allow: ask write",
  )
})

test("[PE1] takes an approval literally unless a person wrote a pattern", () => {
  const approved = [bash("ls *"), bash("rm 'build/*.tmp'")]
  expect(judged(bash("rm 'build/*.tmp'"), { approved })).toBe("allow")
  expect(judged(bash("rm build/a.tmp"), { approved })).toBe("ask")
  expect(judged(bash("ls -la evil"), { approved: [bash("ls *")], user: ["ask bash"] })).toBe("ask: ask bash")
})

test.each([
  ".git/config",
  "packages/a/.git/hooks/pre-commit",
  ".GIT/config",
  ".g\u200Cit/config",
  ".holdfast/agents/a.md",
  "holdfast.jsonc",
  ".claude/settings.json",
  ".bashrc",
  "home/.zshrc",
  ".ssh/authorized_keys",
])("[PE1] asks to write %j whatever was allowed or approved", (path) => {
  const given = permissions({ user: ["allow *"], approved: ["write", write(path)] })
  expect(judge(write(path), given, projectRoot)).toMatchObject({
    effect: "ask",
    rule: { source: "it always asks" },
  })
  expect(judged(read(path), { user: ["allow *"] })).toBe("allow: allow *")
  expect(judged(write(path), { user: ["deny write"] })).toBe("deny: deny write")
})

test("[PE1] asks to write into the directories of Holdfast whatever was allowed", () => {
  const own: Resource = { action: "write", resource: "/Users/ada/.local/share/holdfast/store.db" }
  const written = { user: ["allow *"], approved: ["write"], guarded: ["/Users/ada/.local/share/holdfast"] }
  expect(judged(own, written)).toBe("ask: ask write(/Users/ada/.local/share/holdfast)")
})

test("[PE1] asks to read in the directories of Holdfast too, and elsewhere does what the rules say", () => {
  const outside = (path: string): Resource => ({ action: "outside", resource: `/Users/ada/${path}` })
  const written = { user: ["allow outside"], guarded: ["/Users/ada/.local/share/holdfast"] }
  expect(judged(outside(".local/share/holdfast/server.token"), written)).toBe(
    "ask: ask outside(/Users/ada/.local/share/holdfast)",
  )
  expect(judged(outside(".claude/skills/release/checklist.md"), written)).toBe("allow: allow outside")
})

test.each([
  ["README.md", "allow: allow read"],
  [".env", "ask: ask read(.env*)"],
  ["packages/a/.env.production", "ask: ask read(.env*)"],
  [".env.example", "allow: allow read(.env.example)"],
  ["deploy/server.pem", "ask: ask read(*.pem)"],
  ["keys/id_ed25519", "ask: ask read(id_ed25519*)"],
  ["keys/id_ed25519.pub", "allow: allow read(*.pub)"],
  [".ssh/config", "ask: ask read(.ssh/)"],
])("[PE1] by default, reading %s: %s", (path, expected) => expect(judged(read(path))).toBe(expected))

test.each(
  [
    "prod.env a.key a.p12 a.pfx a.jks a.keystore a.kdbx a.ppk id_rsa id_dsa id_ecdsa .gnupg/a .aws/credentials",
    ".kube/config .netrc _netrc .npmrc .pypirc .pgpass .htpasswd .git-credentials infra/a.tfstate",
  ].flatMap((line) => line.split(" ")),
)("[PE1] by default, to read %s asks", (path) => expect(judged(read(path))).toMatch(/^ask: ask read/))

test.each([
  ["write", "/srv/app/a.ts"],
  ["outside", "/etc/hosts"],
  ["bash", "npm test"],
  ["webfetch", "example.com"],
  ["some_plugin", ""],
])("[PE1] by default, %s of %j asks", (action, resource) =>
  expect(judged({ action, resource })).toMatch(/^ask/),
)

test.each(["plan", "explore"] as const)(
  "[PE1] %s cannot write, whatever was allowed or approved",
  (agent) => {
    const written = { user: ["allow *"], approved: ["write", "bash"], agent }
    expect(judged(write("a"), written)).toBe("deny: deny write")
    expect(judged(bash("npm test"), written)).toBe("deny: deny bash(!:read-only)")
    expect(judged(bash('"eval \\"$x\\""'), written)).toBe("deny: deny bash(!:read-only)")
    expect(judged(bash("git log --oneline"), { agent })).toBe("allow: allow bash(:read-only)")
    expect(judged(read(".env"), { agent })).toBe("ask: ask read(.env*)")
  },
)

test("[PE1] asks for what cannot be known beforehand where a rule might deny it", () => {
  const user = ["allow bash", "deny bash(rm)"]
  expect(judged(bash("rm -rf /"), { user })).toBe("deny: deny bash(rm)")
  expect(judged(bash('"$cmd" -rf /'), { user })).toBe("ask: deny bash(rm)")
  expect(judged(bash("npm test"), { user })).toBe("allow: allow bash")
})

test("[PE1] of all that a call touches, deny beats ask and ask beats allow, and the message names the rule", () => {
  const given = permissions({ user: ["deny write(vendor/)"] })
  const judgements = (...resources: readonly Resource[]) =>
    resources.map((resource) => judge(resource, given, projectRoot))
  expect(verdictOf(judgements(read("a"), read("b")))).toEqual({ kind: "allow" })
  expect(verdictOf(judgements(read("a"), write("b"), read(".env")))).toEqual({
    kind: "ask",
    resources: [write("b"), read(".env")],
    rule: null,
  })
  expect(verdictOf(judgements(write("b"), write("vendor/c")))).toEqual({
    kind: "deny",
    rule: "deny write(vendor/)",
    message:
      'This is not allowed: write(/srv/app/vendor/c). The rule "deny write(vendor/)" of the user\'s settings denies it. Nothing was done. Do not try to reach the same by other means: go on without it, or tell the user what you need and why.',
  })
})
