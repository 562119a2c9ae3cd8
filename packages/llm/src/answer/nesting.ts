/** Whether brackets are nested deeper than this, outside of strings. */
export function isDeeperThan(json: string, levels: number): boolean {
  if (json.length <= levels) return false
  let depth = 0
  let quoted = false
  for (let i = 0; i < json.length; i++) {
    const unit = json.charCodeAt(i)
    if (unit === 0x22) quoted = !quoted
    else if (unit === 0x5c) i += 1
    else if (quoted) continue
    else if (unit === 0x7b || unit === 0x5b) depth += 1
    else if (unit === 0x7d || unit === 0x5d) depth -= 1
    if (depth > levels) return true
  }
  return false
}
