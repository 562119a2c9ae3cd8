/**
 * One profile of the shared credentials file of AWS.
 *
 * documented: sections in brackets, a setting a line, `#` or `;` before a comment. Of two sections
 * with the same name the settings are taken together, the later ones winning.
 */

/** Settings by lower-case name, or null if there is no such profile. */
export function readAwsProfile(text: string, profile: string): ReadonlyMap<string, string> | null {
  const settings = new Map<string, string>()
  let section: string | null = null
  let found = false
  for (const raw of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    const line = raw.replace(/(?:^|\s)[#;].*$/, "").trim()
    const heading = /^\[([^\]]*)\]$/.exec(line)
    if (heading !== null) {
      section = (heading[1] ?? "").trim()
      found ||= section === profile
      continue
    }
    const equals = line.indexOf("=")
    if (section !== profile || equals < 1) continue
    settings.set(line.slice(0, equals).trim().toLowerCase(), line.slice(equals + 1).trim())
  }
  return found ? settings : null
}
