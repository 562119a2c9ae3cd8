/** The syntax of rules, and what each pattern covers. */
import { Result } from "effect"
import { expect, test } from "vitest"
import { fitOf, readRule, readRuleFor, writeRule } from "../../src/permission/rule.ts"
import { home, rule } from "./permissions.ts"

const projectRoot = "/srv/app"

const fit = (text: string, action: string, resource: string) => {
  const { selector, effect } = rule(text)
  return fitOf(selector, { action, resource }, { generous: effect !== "allow", projectRoot })
}

test.each([
  ["allow write", "write", "/srv/app/a.ts", "yes"],
  ["allow write", "read", "/srv/app/a.ts", "no"],
  ["allow *", "anything", "", "yes"],
  ["allow write(src/**)", "write", "/srv/app/src/a/b.ts", "yes"],
  ["allow write(src/**)", "write", "/srv/app/src", "no"],
  ["allow write(src/**)", "write", "/srv/app/lib/src/a.ts", "no"],
  ["allow write(src/**)", "write", "/srv/app2/src/a.ts", "no"],
  ["allow write(src/*.ts)", "write", "/srv/app/src/a.ts", "yes"],
  ["allow write(src/*.ts)", "write", "/srv/app/src/b/a.ts", "no"],
  ["allow write(*.md)", "write", "/srv/app/docs/a.md", "yes"],
  ["allow write(./README.md)", "write", "/srv/app/README.md", "yes"],
  ["allow write(./README.md)", "write", "/srv/app/docs/README.md", "no"],
  ["allow write(dist/)", "write", "/srv/app/packages/a/dist/b.js", "yes"],
  ["deny read(secrets)", "read", "/srv/app/secrets/deep/a.txt", "yes"],
  ["deny read(.env*)", "read", "/elsewhere/.env.local", "yes"],
  ["allow outside(/tmp/**)", "outside", "/tmp/a/b", "yes"],
  ["allow outside(/tmp/**)", "outside", "/tmpfoo/a", "no"],
  ["allow outside(~/notes)", "outside", "/Users/ada/notes/today.md", "yes"],
  ["deny write(/srv/app/vendor)", "write", "/srv/app/vendor/a.js", "yes"],
  ["deny write(!src/**)", "write", "/srv/app/package.json", "yes"],
  ["deny write(!src/**)", "write", "/srv/app/src/a.ts", "no"],
  ["allow webfetch(*.example.com)", "webfetch", "docs.example.com", "yes"],
  ["allow webfetch(*.example.com)", "webfetch", "example.com", "no"],
  ["allow webfetch(*.example.com)", "webfetch", "docs.example.com.evil.org", "no"],
  ["allow webfetch(Example.com)", "webfetch", "example.com", "yes"],
  ["allow skill(review-*)", "skill", "review-code", "yes"],
  ["allow skill(review-*)", "skill", "deploy", "no"],
  ["allow weather", "weather", "", "yes"],
  ["allow lint", "lint", "", "yes"],
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
  ["allow bash(npm run test:*)", "npm run test", "no"],
  ["deny bash(git push:*)", "git push", "yes"],
  ["deny bash(git push:*)", "git push origin main", "yes"],
  ["deny bash(git push:*)", "git pull", "no"],
  ["deny bash(npm run test:*)", "npm run test:unit", "yes"],
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
  ["deny Bash(git push)", `There is no action "Bash". Write bash instead.`],
  ["deny bahs(git push)", `There is no action "bahs". Write bash instead.`],
  ["allow writ", `There is no action "writ". Write write instead.`],
  ["allow Edit", `There is no action "Edit". Write write instead.`],
])("[PE1] the rule %j is refused with what to do", (text, why) => {
  const read = readRule(text, { origin: "user", source: "", home })
  expect(Result.isFailure(read) && read.failure.message).toContain(why)
})

test("[PE1] an option whose name is the effect takes the rest of the rule", () => {
  const read = readRuleFor("allow", "bash(npm test)", { origin: "command-line", source: "--allow", home })
  expect(writeRule(Result.getOrThrow(read))).toBe("allow bash(npm test)")
})
