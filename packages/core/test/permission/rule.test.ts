/** The syntax of rules, and what each pattern covers. */
import { Result } from "effect"
import { expect, test } from "vitest"
import { fitOf, readRule } from "../../src/permission/rule.ts"
import { home, rule } from "./permissions.ts"

const projectRoot = "/work/app"

const fit = (text: string, action: string, resource: string) => {
  const { selector, effect } = rule(text)
  return fitOf(selector, { action, resource }, { generous: effect !== "allow", projectRoot })
}

test.each([
  ["allow write", "write", "/work/app/a.ts", "yes"],
  ["allow write", "read", "/work/app/a.ts", "no"],
  ["allow *", "anything", "", "yes"],
  ["allow write(src/**)", "write", "/work/app/src/a/b.ts", "yes"],
  ["allow write(src/**)", "write", "/work/app/src", "no"],
  ["allow write(src/**)", "write", "/work/app/lib/src/a.ts", "no"],
  ["allow write(src/**)", "write", "/work/app2/src/a.ts", "no"],
  ["allow write(src/*.ts)", "write", "/work/app/src/a.ts", "yes"],
  ["allow write(src/*.ts)", "write", "/work/app/src/b/a.ts", "no"],
  ["allow write(*.md)", "write", "/work/app/docs/a.md", "yes"],
  ["allow write(./README.md)", "write", "/work/app/README.md", "yes"],
  ["allow write(./README.md)", "write", "/work/app/docs/README.md", "no"],
  ["allow write(dist/)", "write", "/work/app/packages/a/dist/b.js", "yes"],
  ["deny read(secrets)", "read", "/work/app/secrets/deep/a.txt", "yes"],
  ["deny read(.env*)", "read", "/elsewhere/.env.local", "yes"],
  ["allow outside(/tmp/**)", "outside", "/tmp/a/b", "yes"],
  ["allow outside(/tmp/**)", "outside", "/tmpfoo/a", "no"],
  ["allow outside(~/notes)", "outside", "/home/ada/notes/today.md", "yes"],
  ["deny write(/work/app/vendor)", "write", "/work/app/vendor/a.js", "yes"],
  ["deny write(!src/**)", "write", "/work/app/package.json", "yes"],
  ["deny write(!src/**)", "write", "/work/app/src/a.ts", "no"],
  ["allow webfetch(*.example.com)", "webfetch", "docs.example.com", "yes"],
  ["allow webfetch(*.example.com)", "webfetch", "example.com", "no"],
  ["allow webfetch(*.example.com)", "webfetch", "docs.example.com.evil.org", "no"],
  ["allow webfetch(Example.com)", "webfetch", "example.com", "yes"],
  ["allow skill(review-*)", "skill", "review-code", "yes"],
  ["allow skill(review-*)", "skill", "deploy", "no"],
  ["allow weather", "weather", "", "yes"],
] as const)("[PE1] %s, asked for %s of %s: %s", (text, action, resource, expected) => {
  expect(fit(text, action, resource)).toBe(expected)
})

test.each([
  ["allow bash(git status)", "git status", "yes"],
  ["allow bash(git status)", "git status -s", "no"],
  ["allow bash(git push *)", "git push", "yes"],
  ["allow bash(git push *)", "git push origin main", "yes"],
  ["allow bash(git push *)", "git pull", "no"],
  ["allow bash(git * --oneline)", "git log --oneline", "yes"],
  ["allow bash(npm run test:*)", "npm run test:unit", "yes"],
  ["allow bash(npm run test:*)", "npm run build", "no"],
  ["allow bash(npm run test:*)", "npm run test:unit --force", "no"],
  ["allow bash(git commit -m 'two words')", "git commit -m 'two words'", "yes"],
  ["allow bash(git commit -m 'two words')", "git commit -m two words", "no"],
  ["allow bash(ls '*')", "ls x", "no"],
  ["allow bash(npm *)", 'npm run "$SCRIPT"', "yes"],
  ["allow bash(npm run build)", 'npm run "$SCRIPT"', "maybe"],
  ["deny bash(git push)", "git push --force origin main", "yes"],
  ["deny bash(git push)", 'git "$verb" origin', "maybe"],
  ["deny bash(rm)", '"eval \\"$x\\""', "maybe"],
  ["deny bash(!npm test)", "npm test --evil", "yes"],
  ["deny bash(!npm test)", "npm test", "no"],
  ["allow bash(!git push)", "git push --force", "no"],
  ["allow bash(*)", '"eval \\"$x\\""', "yes"],
  ["allow bash(git *)", '"eval \\"$x\\""', "maybe"],
  ["allow bash(:read-only)", "cat README.md", "yes"],
  ["deny bash(!:read-only)", '"eval \\"$x\\""', "yes"],
] as const)("[PE1] %s, asked for the command %s: %s", (text, command, expected) => {
  expect(fit(text, "bash", command)).toBe(expected)
})

test.each([
  ["write(src)", "Write allow, ask or deny"],
  ["allow", "Write allow, ask or deny"],
  ["permit write", "Write allow, ask or deny"],
  ["allow write(src", "Write allow, ask or deny"],
  ["allow write()", "The brackets are empty"],
  ["allow edit(src/**)", `"edit" is covered by "write"`],
  ["deny grep", `"grep" is covered by "read"`],
  ["allow write(../other)", `holds no ".."`],
  ["allow write(~bob/x)", `begin with "~/"`],
  ["allow outside(tmp)", `begin with "/" or "~/"`],
  ["allow *(x)", "takes no brackets"],
  [`allow bash(git commit -m "x)`, "A quote is not closed"],
  ["allow webfetch(https://example.com/)", "Name a host alone"],
  ["allow bash(ls\nrm)", "control character"],
])("[PE1] the rule %j is refused with what to do", (text, why) => {
  const read = readRule(text, { origin: "user", source: "", home })
  expect(Result.isFailure(read) && read.failure.message).toContain(why)
})
