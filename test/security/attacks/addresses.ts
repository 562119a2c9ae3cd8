/** Addresses inside of somebody's own network, against a user who allowed every host. */
import type { Attack } from "./attack.ts"

const notPublic = [
  "http://127.0.0.1/",
  "http://127.1/",
  "http://2130706433/",
  "http://0x7f.0.0.1/",
  "http://0177.0.0.1/",
  "http://127.0.0.1./",
  "http://0/",
  "http://[::1]/",
  "http://[::]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://[fe80::1]/",
  "http://[fd00::1]/",
  "http://10.0.0.1/",
  "http://172.16.0.1/",
  "http://192.168.0.1/",
  "http://100.64.0.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://localhost/",
  "http://LocalHost/",
  "http://１２７.0.0.1/",
  "http://①②⑦.0.0.1/",
]

const noAddress = [
  "file:///etc/passwd",
  "ftp://example.com/",
  "data:text/plain,owned",
  "http://user:password@example.com/",
  "javascript:alert(1)",
]

export const addressAttacks: readonly Attack[] = [
  ...notPublic.map((url): Attack => ({
    name: `webfetch: ${url}`,
    call: ["webfetch", { url }],
    says: /not public|private|loopback|link-local|unspecified|shared/,
  })),
  ...noAddress.map((url): Attack => ({
    name: `webfetch: ${url}`,
    call: ["webfetch", { url }],
    says: /cannot be fetched: /,
  })),
]
