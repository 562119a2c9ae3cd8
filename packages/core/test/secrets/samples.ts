/**
 * Secrets that are none: their shapes are real, their digits are made here. Nothing in this file is
 * spelled out, so that whoever looks for secrets in the repository finds none.
 */
import { createHash } from "node:crypto"

/** So many characters of an alphabet, the same every time for the same name. */
function characters(alphabet: string, length: number, name = ""): string {
  let text = ""
  for (let block = 0; text.length < length; block++) {
    for (const byte of createHash("sha256").update(`${name} ${length} ${block}`).digest())
      text += alphabet.charAt(byte % alphabet.length)
  }
  return text.slice(0, length)
}

const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
const digits = "0123456789"

export const plain = (length: number, name = "a"): string =>
  characters(upper + upper.toLowerCase() + digits, length, name)
export const hex = (length: number, name = "a"): string => characters("0123456789abcdef", length, name)
const capital = (length: number): string => characters(upper + digits, length)
export const number = (length: number): string => characters(digits, length)
const base64 = (text: string): string => Buffer.from(text).toString("base64url")

export const jwt = [
  base64('{"alg":"HS256","typ":"JWT"}'),
  base64('{"sub":"1234567890","name":"A person","iat":1516239022}'),
  plain(43),
].join(".")

const pemLines = (lines: number): string =>
  Array.from({ length: lines }, (_, line) => plain(64, `pem ${line}`)).join("\n")

export const pem = (label: string, lines = 8): string =>
  `-----BEGIN ${label}-----\n${pemLines(lines)}\n${plain(20)}==\n-----END ${label}-----`

/** Of the digits that a wallet writes. */
const wallet = (length: number): string => characters(base58, length)
const base58 = [...(upper + upper.toLowerCase() + digits)].filter((one) => !"0OIl".includes(one)).join("")

const putty = `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: a@b\nPublic-Lines: 1\n${plain(64, "public")}\nPrivate-Lines: 4\n`

export const awsKey = `AKIA${capital(16)}`
export const awsSecret = `${plain(20)}/${plain(18, "b")}+`
export const github = `ghp_${plain(36)}`
export const anthropic = `sk-ant-api03-${plain(80)}-${plain(12)}`

/** What a text holds, and which part of it is the secret. */
export interface Positive {
  readonly kind: string
  readonly text: string
  readonly secrets: readonly string[]
}

const bare = (kind: string, secret: string): Positive => ({
  kind,
  text: `key ${secret} end`,
  secrets: [secret],
})
export const within = (kind: string, before: string, secret: string, after = ""): Positive => ({
  kind,
  text: before + secret + after,
  secrets: [secret],
})

export const positives: readonly Positive[] = [
  bare("anthropic", anthropic),
  bare("anthropic", `sk-ant-admin01-${plain(80)}`),
  bare("openrouter", `sk-or-v1-${hex(64)}`),
  bare("openai", `sk-${plain(48)}`),
  bare("openai", `sk-proj-${plain(40)}_${plain(40)}-${plain(30)}`),
  bare("openai", `sk-svcacct-${plain(60)}`),
  bare("openai", `sk-${hex(32)}`),
  bare("github", github),
  bare("github", `gho_${plain(36)}`),
  bare("github", `ghu_${plain(36)}`),
  bare("github", `ghs_${plain(36)}`),
  bare("github", `ghr_${plain(76)}`),
  bare("github", `github_pat_${plain(22)}_${plain(59)}`),
  bare("gitlab", `glpat-${plain(20)}`),
  bare("gitlab", `glrt-${plain(20)}`),
  bare("gitlab", `glptt-${hex(40)}`),
  bare("google", `AIza${plain(35)}`),
  bare("google", `AIza${plain(20)}_${plain(13)}-`.slice(0, 38) + "x"),
  bare("google", `GOCSPX-${plain(28)}`),
  bare("google", `ya29.${plain(60)}`),
  bare("slack", `xoxb-${number(12)}-${number(12)}-${plain(24)}`),
  bare("slack", `xoxp-${number(11)}-${number(11)}-${number(12)}-${hex(32)}`),
  bare("slack", `xapp-1-A${capital(10)}-${number(13)}-${hex(64)}`),
  within("slack", "https://", `hooks.slack.com/services/T${capital(8)}/B${capital(8)}/${plain(24)}`),
  bare("stripe", `sk_live_${plain(24)}`),
  bare("stripe", `rk_live_${plain(24)}`),
  bare("stripe", `sk_test_${plain(24)}`),
  bare("stripe", `whsec_${plain(32)}`),
  bare("npm", `npm_${plain(36)}`),
  within("npm", "//registry.example.org/:_authToken=", plain(32), "\n"),
  within("npm", "//registry.npmjs.org/:_authToken=", `npm_${plain(36)}`),
  within("npm", "registry.example.org/:_auth=", `${plain(30)}==`),
  bare("pypi", `pypi-AgEIcHlwaS5vcmc${plain(80)}`),
  bare("rubygems", `rubygems_${hex(48)}`),
  bare("huggingface", `hf_${plain(34)}`),
  bare("groq", `gsk_${plain(52)}`),
  bare("xai", `xai-${plain(80)}`),
  bare("perplexity", `pplx-${plain(48)}`),
  bare("replicate", `r8_${plain(37)}`),
  bare("sendgrid", `SG.${plain(22)}.${plain(43)}`),
  bare("twilio", `SK${hex(32)}`),
  bare("digitalocean", `dop_v1_${hex(64)}`),
  bare("shopify", `shpat_${hex(32)}`),
  bare("docker", `dckr_pat_${plain(27)}`),
  bare("databricks", `dapi${hex(32)}`),
  bare("linear", `lin_api_${plain(40)}`),
  bare("notion", `ntn_${plain(46)}`),
  bare("notion", `secret_${plain(43)}`),
  bare("facebook", `EAACEdEose0cBA${plain(60)}`),
  bare("vault", `hvs.${plain(90)}`),
  bare("atlassian", `ATATT3${plain(180)}=${capital(8)}`),
  bare("grafana", `glsa_${plain(32)}_${hex(8)}`),
  bare("sentry", `sntryu_${hex(64)}`),
  bare("supabase", `sbp_${hex(40)}`),
  bare("postman", `PMAK-${hex(24)}-${hex(34)}`),
  bare("age", `AGE-SECRET-KEY-1${capital(58)}`),
  within("azure", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", `${plain(86)}==`, ";End"),
  bare("aws", awsKey),
  bare("aws", `ASIA${capital(16)}`),
  within("aws", "aws_secret_access_key = ", awsSecret, "\n"),
  within("aws", "AWS_SECRET_ACCESS_KEY=", awsSecret, "\n"),
  within("aws", '{"SecretAccessKey": "', awsSecret, '"}'),
  within("aws", "secretAccessKey: '", awsSecret, "'"),
  { kind: "aws", text: `User,${awsKey},${awsSecret}\n`, secrets: [awsKey, awsSecret] },
  { kind: "aws", text: `It is ${awsKey}${awsSecret}\n`, secrets: [awsKey, awsSecret] },
  { kind: "aws", text: `It is (${awsKey}) / ${awsSecret}\n`, secrets: [awsKey, awsSecret] },
  within("bearer", "Authorization: Bearer ", plain(40)),
  within("jwt", "Authorization: Bearer ", jwt, "\n"),
  within("jwt", '{"token":"', jwt, '"}'),
  within("telegram", `${number(10)}:`, `AA${plain(33)}`),
  within("url", "postgres://app:", "Tr0ub4dor-3", "@db.example.com:5432/app"),
  within("url", "git clone https://oauth2:", plain(20), "@gitlab.example.com/a.git"),
  within("url", "redis://:", "c9f7a1b2d3", "@cache:6379"),
  within("github", "https://x-access-token:", github, "@github.com/a/b.git"),
  bare("private-key", pem("PRIVATE KEY")),
  bare("private-key", pem("RSA PRIVATE KEY", 25)),
  bare("private-key", pem("OPENSSH PRIVATE KEY", 6)),
  bare("private-key", pem("EC PRIVATE KEY", 2)),
  bare("private-key", pem("ENCRYPTED PRIVATE KEY")),
  within("private-key", '{"private_key": "', pem("PRIVATE KEY").replaceAll("\n", String.raw`\n`), '"}'),
  within("private-key", "1: ", pem("PRIVATE KEY").replaceAll("\n", "\n12: "), "\n"),
  within("private-key", "cut off: ", `-----BEGIN PRIVATE KEY-----\n${pemLines(3)}`),
  within("github", "GITHUB_TOKEN=", github, "\n"),
  within("github", '"token":"', github, '"'),
  within("assigned", "DB_PASSWORD=", plain(24), "\n"),
  within("assigned", "API_KEY=", hex(32), "\n"),
  within("assigned", '{"client_secret": "', plain(20), '"}'),
  within("assigned", "GET /v1/items?api_key=", hex(32), "&page=2"),
  within("assigned", "dbPassword = '", plain(16), "'"),
  within("assigned", "The staging API_KEY is set by API_KEY=", plain(30), "."),
  within("github", "curl -H 'Authorization: token ", github, "'"),
  bare("sentry", `sntrys_eyJ${plain(60)}`),
  bare("sentry", `sntrys_${plain(40)}`),
  bare("heroku", `HRKU-${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`),
  bare("heroku", `HRKU-AA${plain(58)}`),
  bare("airtable", `pat${plain(14)}.${hex(64)}`),
  bare("doppler", `dp.st.dev_eu.${plain(43)}`),
  bare("doppler", `dp.pt.${plain(43)}`),
  bare("brevo", `xkeysib-${hex(64)}-${plain(16)}`),
  bare("resend", `re_${plain(8)}_${plain(24)}`),
  bare("square", `sq0csp-${plain(43)}`),
  bare("bitbucket", `ATBB${plain(32)}`),
  bare("contentful", `CFPAT-${plain(43)}`),
  bare("dynatrace", `dt0c01.${capital(24)}.${capital(64)}`),
  bare("netlify", `nfp_${plain(36)}`),
  bare("pulumi", `pul-${hex(40)}`),
  bare("nvidia", `nvapi-${plain(64)}`),
  bare("pinecone", `pcsk_${plain(6)}_${plain(63)}`),
  bare("langsmith", `lsv2_pt_${hex(32)}_${hex(10)}`),
  bare("bitcoin", `5J${wallet(49)}`),
  bare("bitcoin", `L3${wallet(50)}`),
  within("private-key", putty, `${pemLines(3)}\n${plain(20)}==`, `\nPrivate-MAC: ${hex(40)}\n`),
  within(
    "private-key",
    putty.replaceAll("\n", String.raw`\n`),
    `${pemLines(2)}\n${plain(20)}==`.replaceAll("\n", String.raw`\n`),
    String.raw`\nPrivate-MAC: `,
  ),
  bare("figma", `figd_${plain(43)}`),
  bare("planetscale", `pscale_tkn_${plain(43)}`),
  bare("tailscale", `tskey-auth-${plain(12)}-${plain(32)}`),
  bare("newrelic", `NRAK-${capital(27)}`),
  bare("mailgun", `key-${hex(32)}`),
  bare("discord", `MTE${plain(21)}.G${plain(5)}.${plain(38)}`),
  bare("discord", `Nz${plain(22)}.${plain(6)}.${plain(27)}`),
  within("discord", "https://discord.com/api/webhooks/112233445566778899/", plain(68)),
  within("mysql", "mysql -u root -p", "hunter2!", " shop"),
  within("mysql", "/usr/bin/mysqldump --single-transaction -uann -p'", plain(9), "' shop > shop.sql"),
  within("cookie", "Set-Cookie: sid=", `s%3A${plain(32)}`, "; Path=/; HttpOnly; Max-Age=3600"),
  within("cookie", "cookie: theme=dark; lang=en; session=", hex(32), "; consent=yes"),
  within("cookie", '"Cookie": "PHPSESSID=', plain(26), '"'),
  within("basic", "Authorization: Basic ", Buffer.from(`ann:${plain(12)}`).toString("base64")),
]

const sha1 = hex(40)
const image = Buffer.from(Array.from({ length: 6_000 }, (_, at) => (at * 7_919 + (at >> 3)) % 256)).toString(
  "base64",
)

/** What looks like a secret to a hasty eye, and must stay as it is. */
export const negatives: readonly string[] = [
  "",
  "An ordinary sentence about keys, tokens, secrets and passwords.",
  "password = getpass()",
  "password: process.env.DB_PASSWORD_2026_V1_X9",
  "api_key = settings_api_key_v2_fallback_1",
  "client_secret: <your-client-secret>",
  "API_KEY=your-api-key-1a2b3c4d5e6f",
  "password = generatePasswordForUser2(24)",
  "SECRET=$(openssl rand -hex 32)",
  `secret: ${sha1}`,
  "secret: sharedSecretOfTheGateway2026",
  "password: correct-horse-battery-staple",
  `commit ${sha1}`,
  `${hex(7)} fix: the mask of a key`,
  `git diff ${hex(40, "b")}..${hex(40, "c")}`,
  hex(64),
  hex(128),
  hex(32).toUpperCase(),
  "550e8400-e29b-41d4-a716-446655440000",
  "task-550e8400-e29b-41d4-a716-446655440000",
  "risk-550e8400-e29b-41d4-a716-446655440000",
  `"integrity": "sha512-${plain(86)}=="`,
  `"integrity": "sha512-${plain(40)}/${plain(20)}+${plain(24)}=="`,
  `sha256-${plain(43)}=`,
  `"resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz"`,
  `yarn.lock checksum: 10c0/${hex(128)}`,
  `h1:${plain(43)}=`,
  `data:image/png;base64,${image}`,
  image,
  image.replace(/(.{76})/g, "$1\n"),
  `sha256:${hex(64)}`,
  `docker.io/library/node@sha256:${hex(64)}`,
  `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA${plain(44)} a@b`,
  `ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB${plain(340)} a@b`,
  pem("PUBLIC KEY"),
  pem("CERTIFICATE", 20),
  'if (text.includes("-----BEGIN PRIVATE KEY-----")) return text.split("-----END PRIVATE KEY-----")',
  'const head = "-----BEGIN RSA PRIVATE KEY-----"',
  "`-----BEGIN PRIVATE KEY-----\\n${body}\\n-----END PRIVATE KEY-----`",
  "sk-learn-is-a-library-for-python-people",
  "sk-toggleable__label-arrow sk-estimator-doc-link",
  "the class sk-folding-cube-animation-2-large-screen",
  "task_force, disk-usage-by-directory-and-owner-2024",
  "sk-ant-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "sk-ant-your-key-goes-here-please",
  "ANTHROPIC_API_KEY=sk-ant-...",
  "OPENAI_API_KEY=sk-your_api_key_here_1234",
  "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "ghp_EXAMPLE",
  "the prefixes ghp_, gho_ and github_pat_ of GitHub",
  "ghp_tooShort1234",
  `AKIA${"IOSFODNN7"}EXAMPLE`,
  "AKIA is how access keys begin",
  `aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY${"EXAMPLE"}KEY`,
  "aws_secret_access_key = <yours>",
  `secret_access_key: ${sha1}`,
  "AIza is how keys of Google begin",
  `${plain(20)}AIza${plain(35)}`,
  "process.env.NPM_TOKEN",
  "//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
  "npm_config_user_agent=npm/10.8.2 node/v26.0.0 linux x64 workspaces/false",
  "npm_package_json=project/package.json",
  "npm_lifecycle_script=node scripts/a-rather-long-name.ts",
  "Authorization: Bearer <token>",
  "Authorization: Bearer $TOKEN",
  "Bearer authentication is described in RFC 6750, section 2.1",
  "a bearer of-good-news-and-of-many-other-things",
  "eyJ is how JSON looks in base64",
  base64('{"only":"a header"}'),
  `${base64('{"a":1,"b":2}')}.no.signature`,
  "https://example.com/path?x=1&y=2",
  "https://user@example.com/path",
  "http://localhost:3000/a:b@c",
  "https://example.com:8080/@scope/name",
  "postgres://user:password@localhost:5432/db",
  "postgres://postgres:postgres@localhost/db",
  "mysql://root:$MYSQL_PASSWORD@db/app",
  "redis://:${REDIS_PASSWORD}@cache:6379",
  "https://<user>:<password>@host",
  "mongodb://USER:PASSWORD@host/db",
  "https://user:***@host/path",
  "git+ssh://git@github.com:owner/name.git",
  "npm install @scope/name@1.2.3",
  "SKELETON SKIP SK1 SKU-123456",
  "SG.1 is no key",
  "hf_hub_download(repo_id='a/b')",
  "r8_x g8_y",
  "xoxo, gossip",
  "MTU, NTFS, ODBC and NDJSON.parse.lines",
  "mysql -u root -p shop",
  "mysql -u root -p$MYSQL_PASSWORD shop && tar -pcf shop.tar shop",
  "mysqldump with -p asks for a password",
  "Set-Cookie: theme=dark; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT",
  "cookie: a cookie of a session is sent with each request, 1234567890 times",
  "xoxb- is how bot tokens begin",
  "dapi_client, rapid_api",
  "whsec_ and sk_live_ are prefixes of Stripe",
  "pk_live_ keys may be published",
  `pk_live_${plain(24)}`,
  "12:34:56 and 00:AA:BB:CC:DD:EE",
  "key-value-store-with-a-long-name-1234567890",
  "secret_NameOfAVeryLongVariableThatHasNoDigitsAtAll",
  `EAACEdEose0cBA is how tokens of Facebook begin`,
  "⟦secret:github:1a2b3c4d⟧",
  "HRKU- is how keys of Heroku begin, sntrys_ those of Sentry",
  "dp.st.dev is a config of Doppler, and pat the beginning of a token of Airtable",
  "pat lives in src/pat.ts; pattern.test(value) calls path.join(a, b)",
  "Private-Lines: 8 is how the body of a PuTTY key begins",
  "K8s, L10n, L2 caches, Kx and 5Ks",
  `5G${plain(46)}`,
  `${plain(20)}/5J${wallet(49)}`,
  `const id = "ses_${plain(26).toLowerCase()}"`,
  `msg_${plain(24)} toolu_${plain(24)} call_${plain(24)}`,
  `trace_id=${hex(32)} span_id=${hex(16)}`,
  `W/"${hex(32)}"`,
]
