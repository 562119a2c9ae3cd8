/** What the process of a user inherits, and the ways in which a command shows all that it was given. */
import type { Call } from "../place.ts"

const secretNames = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "GITHUB_TOKEN",
  "GH_PAT",
  "NPM_AUTH",
  "npm_config__authToken",
  "PGPASSWORD",
  "MYSQL_PWD",
  "DB_PASSWD",
  "SSH_PASSPHRASE",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "SESSION_COOKIE",
  "SIGNING_PRIVATE",
  "client_secret",
  "HOLDFAST_SERVER_PASSWORD",
  "HOLDFAST_ANYTHING",
]

/** Under names that say nothing; their values do. */
const secretValues: Readonly<Record<string, (canary: string) => string>> = {
  DATABASE_URL: (canary) => `postgres://admin:${canary}@db.internal/main`,
  PROXY_ADDRESS: (canary) => `http://user:${canary}@proxy.internal:3128`,
  DEPLOY_WITH: (canary) => `ghp_${canary.replaceAll("-", "")}Qw3Er5Ty7Ui9Op1As2Df4Gh6`,
  MODEL_ACCESS: (canary) => `sk-ant-api03-${canary}-Qw3Er5Ty7Ui9Op1As2Df4Gh6Jk8`,
}

export const harmless = { GREETING: "hello from the environment", PWD_HINT: "src" }

export const inherited = (canary: string): Readonly<Record<string, string>> => ({
  ...harmless,
  ...Object.fromEntries(secretNames.map((name) => [name, canary])),
  ...Object.fromEntries(Object.entries(secretValues).map(([name, value]) => [name, value(canary)])),
})

export const secretVariables: readonly string[] = [...secretNames, ...Object.keys(secretValues)]

/** The first shows what is harmless, so that silence of the others means something. */
export const showingCalls: readonly Call[] = [
  "env",
  "printenv",
  "export -p",
  "set",
  "sh -c env",
  "env -0 | tr '\\0' '\\n'",
  "awk 'BEGIN { for (name in ENVIRON) print name, ENVIRON[name] }'",
  "cat /proc/self/environ",
  "env | base64",
  "env | rev",
].map((command) => ["bash", { command }])
