/**
 * Shapes of secrets, as those who give them out document them: a table, and what tells a secret from an example.
 *
 * Only what is a secret beyond doubt stands here. A mask that hides something else costs more than it
 * saves: the model cannot see it, and no tool takes an input that holds it. So there is no row for
 * plain hexadecimal numbers or for long base64, and what is assigned to a password or a key is hidden only
 * where nobody could have made it up: no words, calls, variables or hashes of commits.
 *
 * A shape begins with one of its leads, which are found in one scan of the text. No pattern reads a
 * stretch twice that another lead of the same stretch has read: the cost is linear, whatever a tool writes.
 */

export interface Shape {
  /** What the mask calls it. */
  readonly kind: string
  /** Literal beginnings, of which one must stand in the text. */
  readonly leads: readonly string[]
  /** Matches at a lead. Its groups are the secrets; without any the whole match is. */
  readonly pattern: RegExp
  /** Matches to the end of a text that may yet grow into a match; null where a blank ends every match. */
  readonly open: RegExp | null
  /** What must not stand right before a lead. */
  readonly before: RegExp
  /** Whether what was matched is a secret indeed. */
  readonly accepts: (secret: string) => boolean
}

const word = "[A-Za-z0-9_-]"
const plain = "[A-Za-z0-9]"
const hex = "[0-9a-f]"
const wordBefore = /[A-Za-z0-9_]/

/** Nobody's secret: what manuals and tests put in its place. */
const examplePattern = /EXAMPLE|example|(?:your|YOUR|my|MY)[-_]|[x*.]{6}|X{6}|0{12}|1234567890abcdef/
const distinctMin = 8

export const isNoExample = (secret: string): boolean =>
  !examplePattern.test(secret) && new Set(secret).size >= distinctMin

/** Letters of both cases and digits, or hexadecimal digits: no words, no names of classes. */
const isRandom = (secret: string): boolean =>
  isNoExample(secret) &&
  /\d.*\d/.test(secret) &&
  ((/[a-z]/.test(secret) && /[A-Z]/.test(secret)) || /[0-9a-f]{32}/.test(secret))

/** No hash of a commit or a file. */
export function isNoNumber(secret: string): boolean {
  return isNoExample(secret) && !/^[0-9a-fA-F]+$/.test(secret)
}

/** Made by a generator: letters and digits in pieces that are shorter than those of any name. */
const isGenerated = (secret: string): boolean => {
  const pieces = secret.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 1
  return (
    isNoExample(secret) &&
    !/^[0-9a-fA-F]{40}$/.test(secret) &&
    /\d/.test(secret) &&
    secret.length / pieces <= pieceLengthMax
  )
}
const pieceLengthMax = 2.7

const assignedNames = (leads: string): Shape => {
  const name = `(?:${leads.split(" ").map(escaped).join("|")})`
  return {
    ...prefixed("assigned", leads, "", isGenerated),
    pattern: new RegExp(
      `${name}["']?\\s{0,3}[:=]{1,2}\\s{0,3}["']?([A-Za-z0-9_+/~!@#%^*-]{12,256}={0,2})(?=["'\`\\s,;&)\\]}]|[.]?$|[.]\\s)`,
      "dy",
    ),
    open: new RegExp(`${name}["']?\\s{0,3}[:=]{0,2}\\s{0,3}["']?\\S{0,260}$`, "y"),
    before: /[A-Za-z0-9]/,
  }
}

function prefixed(kind: string, leads: string, rest: string, accepts: Shape["accepts"] = isNoExample): Shape {
  const names = leads.split(" ")
  return {
    kind,
    leads: names,
    pattern: new RegExp(`(?:${names.map(escaped).join("|")})${rest}(?!${plain})`, "dy"),
    open: null,
    before: wordBefore,
    accepts,
  }
}

export const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&")

const awsNamed: Omit<Shape, "leads" | "before"> = {
  kind: "aws",
  pattern: /secret_?access_?key["']?\s{0,3}[:=]{1,2}\s{0,3}["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/diy,
  open: /\w{15,17}["']?\s{0,3}[:=]{0,2}\s{0,3}["']?[A-Za-z0-9/+]{0,40}$/y,
  accepts: isNoNumber,
}

/** Blank lines, line numbers and escaped line ends may stand in it, as tools show it. */
const keyHead = "-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
const keyBody = String.raw`(?:(?!-----)[\s\S]){16,16384}`
const keyFoot = "-----END [A-Z0-9 ]{1,40}-----"
/** The end may be cut off. */
const keyLines = String.raw`(?:(?:\\n|\r?\n)[^\n]{0,60}?[A-Za-z0-9+/=]{40,})+`

/** Of a key as PuTTY keeps it; a tool may have put a number before it. */
const puttyLine = String.raw`[^\S\n]{0,16}(?:\d{1,5}[:|→\t])?[^\S\n]{0,16}[A-Za-z0-9+/=]{8,80}(?![\w+/=:-])`
const base58 = "[1-9A-HJ-NP-Za-km-z]"

/** A name and a value, as a browser sends them and a server sets them; what is shorter is no session. */
const cookie = String.raw`[^\s=;,"']{1,128}=([^\s;,"'⟦]{0,2048})`
const cookiesMax = 12
const cookieCharactersMin = 16

/** Where several match at the same place, the first counts. */
export const shapesOfSecrets: readonly Shape[] = [
  prefixed("anthropic", "sk-ant-", `${word}{20,}`),
  prefixed("openrouter", "sk-or-", `v\\d-${hex}{32,}`),
  prefixed("openai", "sk-proj- sk-svcacct- sk-admin- sk-None-", `${word}{20,}`),
  prefixed("openai", "sk-", `${word}{20,}`, isRandom),
  prefixed("github", "ghp_ gho_ ghu_ ghs_ ghr_", `${plain}{36,255}`),
  prefixed("github", "github_pat_", `${plain}{20,}_${plain}{50,}`),
  prefixed("gitlab", "glpat- gldt- glrt- glcbt- glptt- glft- glsoat-", `${word}{20,}(?:\\.\\w+)*`),
  prefixed("google", "AIza", `${word}{35}`),
  prefixed("google", "GOCSPX-", `${word}{28}`),
  prefixed("google", "ya29.", `${word}{30,}`, isRandom),
  prefixed("slack", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxp- xoxe.xoxb-", `[A-Za-z0-9-]{20,}`),
  prefixed("slack", "xapp-", `\\d-${plain}+-\\d+-${hex}{32,}`),
  prefixed("slack", "hooks.slack.com/services/", `T${plain}+/B${plain}+/${plain}{16,}`),
  prefixed("stripe", "sk_live_ rk_live_ sk_test_ rk_test_", `${plain}{16,}`),
  prefixed("stripe", "whsec_", `${plain}{32,}`),
  prefixed("npm", "npm_", `${plain}{36}`),
  prefixed("pypi", "pypi-AgE", `${word}{50,}`),
  prefixed("rubygems", "rubygems_", `${hex}{48}`),
  prefixed("huggingface", "hf_", `${plain}{34}`),
  prefixed("groq", "gsk_", `${plain}{40,}`),
  prefixed("xai", "xai-", `${plain}{40,}`),
  prefixed("perplexity", "pplx-", `${plain}{40,}`),
  prefixed("replicate", "r8_", `${plain}{37}`),
  prefixed("sendgrid", "SG.", `${word}{22}\\.${word}{43}`),
  prefixed("twilio", "SK", `${hex}{32}`),
  prefixed("digitalocean", "dop_v1_ doo_v1_ dor_v1_", `${hex}{64}`),
  prefixed("shopify", "shpat_ shpca_ shppa_ shpss_", `[0-9a-fA-F]{32}`),
  prefixed("docker", "dckr_pat_", `${word}{27,}`),
  prefixed("databricks", "dapi", `${hex}{32}(?:-\\d)?`),
  prefixed("linear", "lin_api_", `${plain}{40}`),
  prefixed("notion", "ntn_", `${plain}{40,}`),
  prefixed("notion", "secret_", `${plain}{43}`, isRandom),
  prefixed("facebook", "EAACEdEose0cBA", `${plain}{20,}`),
  prefixed("vault", "hvs. hvb.", `${word}{24,}`),
  prefixed("atlassian", "ATATT3", `[A-Za-z0-9_=-]{60,}`),
  prefixed("grafana", "glsa_", `${plain}{32}_${hex}{8}`),
  prefixed("sentry", "sntryu_", `${hex}{64}`),
  prefixed("sentry", "sntrys_", `[A-Za-z0-9+/=_-]{24,}`),
  prefixed("heroku", "HRKU-", `${word}{32,}`),
  prefixed("airtable", "pat", `${plain}{14}\\.${plain}{32,64}`),
  prefixed(
    "doppler",
    "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
    `(?:[a-z0-9_-]{1,40}\\.)?${plain}{32,64}`,
  ),
  prefixed("brevo", "xkeysib-", `${hex}{64}-${plain}{16}`),
  prefixed("resend", "re_", `${plain}{8}_${plain}{24}`),
  prefixed("square", "sq0atp- sq0csp-", `${word}{22,43}`),
  prefixed("bitbucket", "ATBB", `${plain}{28,}`),
  prefixed("contentful", "CFPAT-", `${word}{43}`),
  prefixed("dynatrace", "dt0c01.", `[A-Z0-9]{24}\\.[A-Z0-9]{64}`),
  prefixed("netlify", "nfp_", `${plain}{36,}`),
  prefixed("pulumi", "pul-", `${hex}{40}`),
  prefixed("nvidia", "nvapi-", `${word}{60,}`),
  prefixed("pinecone", "pcsk_", `${word}{50,}`),
  prefixed("langsmith", "lsv2_pt_ lsv2_sk_", `${hex}{32}_${hex}{10}`),
  prefixed("figma", "figd_", `${word}{40,}`),
  prefixed("planetscale", "pscale_tkn_ pscale_pw_ pscale_oauth_", `[A-Za-z0-9_.=-]{32,}`),
  prefixed("tailscale", "tskey-", `[a-z]+-${plain}{8,}-${plain}{16,}`),
  prefixed("newrelic", "NRAK-", `[A-Z0-9]{27}`),
  prefixed("mailgun", "key-", `${hex}{32}`),
  prefixed("supabase", "sbp_", `${hex}{40}`),
  prefixed("postman", "PMAK-", `${hex}{24}-${hex}{34}`),
  prefixed("age", "AGE-SECRET-KEY-1", `[0-9A-Z]{58}`),
  prefixed("discord", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", `\\d{17,20}/(${word}{60,})`),
  {
    // It begins with the number of its bot in base64.
    ...prefixed("discord", "MT Mj Mz ND NT Nj Nz OD OT", `${word}{22,26}\\.${word}{6}\\.${word}{27,38}`),
    before: /[\w.-]/,
  },
  {
    kind: "mysql",
    leads: ["mysql ", "mysqldump ", "mysqladmin ", "mysqlimport ", "mariadb ", "mariadb-dump "],
    pattern: /[a-z-]{5,12} (?:[^\n|;&]{0,200}? )?-p["']?([^\s"'`|;&⟦]{3,128})/dy,
    open: /[a-z-]{5,12} [^\n|;&]{0,330}$/y,
    before: wordBefore,
    accepts: isNoPlaceholder,
  },
  {
    kind: "cookie",
    leads: ["Cookie", "cookie"],
    pattern: new RegExp(
      `[Cc]ookie["']?:\\s{0,3}["']?${cookie}${`(?:;\\s?${cookie})?`.repeat(cookiesMax - 1)}`,
      "dy",
    ),
    open: /[Cc]ookie["']?(?::[^\n]{0,8192})?$/y,
    before: wordBefore,
    accepts: (value) =>
      value.length >= cookieCharactersMin && isNoExample(value) && /[a-z]/i.test(value) && /\d/.test(value),
  },
  prefixed("azure", "AccountKey=", `([A-Za-z0-9+/]{86}==)`),
  {
    ...prefixed("aws", "AKIA ASIA", ""),
    // The two halves of a pair are often given side by side.
    pattern:
      /((?:AKIA|ASIA)[A-Z0-9]{16})(?:(?![A-Za-z0-9])(?:[\s,:;|"'/()]{1,4}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=]))?|([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=]))/dy,
    open: /[A-Z0-9]+[\s,:;|"'/()]{0,4}[A-Za-z0-9/+]{0,40}$/y,
    accepts: isNoNumber,
  },
  {
    ...awsNamed,
    leads: ["secret_access_key", "SECRET_ACCESS_KEY", "secretAccessKey"],
    before: /[A-Za-z0-9]/,
  },
  { ...awsNamed, leads: ["SecretAccessKey"], before: /[A-Z0-9]/ },
  {
    kind: "npm",
    leads: ["_authToken=", "_auth="],
    pattern: /_auth(?:Token)?=["']?([A-Za-z0-9+/=_.-]{16,})/dy,
    open: null,
    before: wordBefore,
    accepts: (secret) => isNoExample(secret) && /\d/.test(secret),
  },
  {
    kind: "bearer",
    leads: ["Bearer ", "bearer "],
    pattern: /[Bb]earer ([A-Za-z0-9._~+/-]{24,}=*)/dy,
    open: /[Bb]earer \S*$/y,
    before: wordBefore,
    accepts: isRandom,
  },
  {
    kind: "basic",
    leads: ["Basic ", "basic "],
    pattern: /[Bb]asic ([A-Za-z0-9+/]{12,}={0,2})/dy,
    open: /[Bb]asic \S*$/y,
    before: wordBefore,
    // A name, a colon and a password: no word of a sentence reads so.
    accepts: (secret) => /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(Buffer.from(secret, "base64").toString("latin1")),
  },
  {
    kind: "telegram",
    leads: [":AA"],
    pattern: /:(AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])/dy,
    open: null,
    before: /\D/,
    accepts: isNoExample,
  },
  {
    kind: "jwt",
    leads: ["eyJ"],
    pattern: /eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{16,}/dy,
    open: null,
    // Of one run of such characters only the beginning is tried.
    before: /[\w-]/,
    accepts: isNoExample,
  },
  {
    kind: "url",
    leads: ["://"],
    pattern: /:\/\/[^\s:@/"'`<>]{0,128}:([^\s:@/"'`<>]{1,256})@(?=[\w.[-])/dy,
    open: null,
    before: /[^A-Za-z0-9]/,
    accepts: isNoPlaceholder,
  },
  assignedNames(
    "password PASSWORD passwd PASSWD secret SECRET api_key API_KEY apikey APIKEY apiKey api-key access_token ACCESS_TOKEN auth_token AUTH_TOKEN",
  ),
  { ...assignedNames("Password Secret ApiKey AccessToken"), before: /[A-Z0-9]/ },
  {
    kind: "private-key",
    leads: ["-----BEGIN "],
    pattern: new RegExp(`${keyHead}(?:${keyBody}${keyFoot}|${keyLines})`, "dy"),
    open: /-----BEGIN (?:(?!-----(?:BEGIN|END) )[\s\S])*(?:-----END [A-Z0-9 ]{0,40}-{0,4})?$/y,
    before: /-/,
    accepts: (block) => /[A-Za-z0-9+/]{40}/.test(block),
  },
  {
    kind: "private-key",
    leads: ["Private-Lines: "],
    pattern: new RegExp(
      `Private-Lines: \\d{1,4}(?:\\\\n|\\r?\\n)(${puttyLine}(?:(?:\\\\n|\\r?\\n)${puttyLine})*)`,
      "dy",
    ),
    open: /Private-Lines: (?:\d[^-]{0,16384})?$/y,
    before: /-/,
    accepts: isNoExample,
  },
  {
    // A key of a wallet: base 58, which has neither 0 nor O, I nor l.
    kind: "bitcoin",
    leads: "5H 5J 5K Kw Kx Ky Kz L1 L2 L3 L4 L5".split(" "),
    pattern: new RegExp(`(?:5${base58}{50}|[KL]${base58}{51})(?![\\w+/=-])`, "dy"),
    open: null,
    before: /[\w+/=.-]/,
    accepts: isRandom,
  },
]

const placeholders: ReadonlySet<string> = new Set(
  "pass password passwd passwort pwd pw secret token key user username root admin postgres mysql test changeme foo bar x".split(
    " ",
  ),
)

/** Of an address: a variable, a word that stands for a password, or one that everybody has are not hidden. */
export function isNoPlaceholder(password: string): boolean {
  if (/^[$%{[(*.]|^:?[A-Z_]+$|^x+$/.test(password)) return false
  return password.length >= 3 && !placeholders.has(password.toLowerCase())
}
