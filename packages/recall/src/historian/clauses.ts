/**
 * What somebody said in fewer words: whole clauses of it, those that tell it from others, as they stood; where none has
 * room, its first words and names out of the rest. What is left out is marked, so that nothing is joined that was not said
 * together. Pure, and the same for any text.
 */
import { clipLine, tokensOf } from "./words.ts"

/** About so many tokens beside the marks, more in scripts that take more bytes; the whole where it fits. */
export function inClauses(said: string, tokensMax: number): string {
  const most = tokensMax * Math.min(2, Buffer.byteLength(said) / said.length)
  if (tokensOf(said) <= most) return guarded(said)
  const label = emptyLabel.exec(said)?.[0] ?? ""
  const text = said.slice(label.length)
  const bytesMax = most * bytesPerToken
  const clauses = clausesOf(text)
  const chosen = choose(clauses, bytesMax)
  const tells = chosen.length > 0 && weightOf(chosen) >= weightOf(clauses) * tellingShare
  const shorter = tells ? withGaps(text, labelled(chosen, clauses, bytesMax)) : beginning(text, bytesMax)
  return guarded(label === "" || shorter.startsWith(gap) ? shorter : `${gap} ${shorter}`)
}

/** Clauses that say less of it tell nobody what it is about. */
const tellingShare = 0.3
const weightOf = (clauses: readonly Stretch[]): number => clauses.reduce((sum, { worth }) => sum + worth, 0)

/** Says that something follows, and nothing of what. */
const emptyLabel =
  /^(?:(?:also|please) )?(?:remember|important|note|notice|attention|warning|nb|ps|rule ?\d*|wichtig|achtung|hinweis|merke?|regel ?\d*|important[ea]?|attention|règle ?\d*|importante|nota|regla ?\d*)\s?: /iu

const bytesPerToken = 3.5
const gap = "…"

/** Nothing that is left of it passes for a handle or a quotation. */
const guarded = (text: string): string => (/^[#"]/.test(text) ? `${gap} ${text}` : text)

/** A stretch of what was said: a clause or a word, with the blanks behind it. */
interface Stretch {
  readonly from: number
  readonly to: number
  readonly bytes: number
  readonly worth: number
}

/** Ends of sentences, and what parts the clauses of one; a number alone, as in `1. that`, ends nothing. */
const parting = /(?<=(?:[^\s\d][.!?…]|[,;:])["')»”]?|\s[–—-])\s+|(?<=[。！？、，；：])\s*/gu

/** What such a word begins belongs to what stands before it: either alone would say something else. */
const bound =
  /^(?:(?:and|or|then|und|oder|et|ou|y|o) )?(?:not?|nor|unless|except|only|without|instead|rather|but|so|because|since|which|who|that|as|while|nicht|kein\w*|außer|nur|ohne|statt|sondern|aber|weil|denn|damit|sodass|dass|pas|sauf|sans|mais|donc|car|qui|que|sino|sin|salvo|excepto|pero|porque|не|но|кроме|только|потому)(?![\p{L}\p{N}])/iu

/** And so does what says where, when or for what, where only a comma parts them; what begins a sentence so belongs to what follows. */
const placed =
  /^(?:(?:and|or|but|und|oder|et|ou|y|o) )?(?:even |also |auch |même )?(?:in|on|at|for|from|to|with|by|if|when|whenever|where|wherever|until|till|before|after|during|while|unless|outside|inside|under|within|across|per|though|however|whatever|whoever|im|am|bei|beim|auf|für|mit|von|vor|nach|wenn|falls|sobald|solange|bis|dans|pour|avec|avant|après|quand|lorsque|si|chez|en|para|con|antes|después|cuando|hasta|в|на|для|если|когда|при|до|после)(?![\p{L}\p{N}])/iu

function clausesOf(said: string): readonly Stretch[] {
  const ends = [...said.matchAll(parting)].map(({ index, 0: blank }) => index + blank.length)
  const starts = [0]
  for (const at of ends) {
    const next = said.slice(at, at + boundUnits)
    if (at >= said.length || bound.test(next)) continue
    const before = said.slice(starts.at(-1), at).trimEnd()
    if (/[,，、]$/u.test(before)) {
      const led = placed.test(before)
      const short = before.length <= leadUnitsMax
      if (placed.test(next) || (led ? short : denied.test(next))) continue
    }
    starts.push(at)
  }
  return starts.map((from, at) => {
    const to = starts[at + 1] ?? said.length
    const text = said.slice(from, to)
    return { from, to, bytes: Buffer.byteLength(text), worth: leads(text) ? 0 : worthOf(text) }
  })
}

/** Behind a comma, what is not to be; at the beginning of a sentence it is a rule of its own. */
const denied = /^(?:never|nie|niemals|jamais|nunca|никогда)(?![\p{L}\p{N}])/iu

const boundUnits = 24
/** A longer beginning, such as `Whenever …,`, is left out where all has no room. */
const leadUnitsMax = 32

/** What the rest is about, or when it holds: it says nothing alone. */
const leads = (clause: string): boolean =>
  (clause.length <= leadUnitsMax && /[:：]\s*$/u.test(clause)) ||
  (condition.test(clause) && /[,，、]\s*$/u.test(clause))

const condition =
  /^(?:if|when|whenever|before|after|once|unless|as long as|wenn|falls|sobald|solange|bevor|nachdem|quand|lorsque|si|avant|après|cuando|antes|después|если|когда)(?![\p{L}\p{N}])/iu

/** Before what was chosen, as far as there is room. */
function labelled(
  chosen: readonly Stretch[],
  clauses: readonly Stretch[],
  bytesMax: number,
): readonly Stretch[] {
  let left = bytesMax - chosen.reduce((sum, { bytes }) => sum + bytes, 0)
  return chosen.flatMap((one) => {
    const before = clauses[clauses.indexOf(one) - 1]
    if (before === undefined || before.worth > 0 || before.bytes > left) return [one]
    left -= before.bytes
    return [before, one]
  })
}

/** Those that say most together in so much room, in their order. */
function choose(clauses: readonly Stretch[], bytesMax: number): readonly Stretch[] {
  let best: readonly Choice[] = [{ clauses: [], bytes: 0, worth: 0 }]
  for (const clause of clauses.filter(({ worth, bytes }) => worth >= worthMin && bytes <= bytesMax + 1)) {
    const more = best.map((one) => ({
      clauses: [...one.clauses, clause],
      bytes: one.bytes + clause.bytes,
      worth: one.worth + clause.worth,
    }))
    best = worthwhile([...best, ...more.filter(({ bytes }) => bytes <= bytesMax + 1)])
  }
  return best.at(-1)?.clauses ?? []
}

interface Choice {
  readonly clauses: readonly Stretch[]
  readonly bytes: number
  readonly worth: number
}

const choicesMax = 40

/** Longer ones only where they say more. */
function worthwhile(choices: readonly Choice[]): readonly Choice[] {
  const kept: Choice[] = []
  for (const one of choices.toSorted((a, b) => a.bytes - b.bytes || b.worth - a.worth))
    if (one.worth > (kept.at(-1)?.worth ?? -1)) kept.push(one)
  return kept.slice(-choicesMax)
}

function withGaps(said: string, chosen: readonly Stretch[]): string {
  let text = ""
  let end = 0
  for (const { from, to } of chosen) {
    if (from > end) text = `${text.trimEnd()} ${gap} `
    text += said.slice(from, to)
    end = to
  }
  return `${text.trim()}${end < said.length ? ` ${gap}` : ""}`
}

/** Of what has no clause that fits: its first words, and behind gaps what turns it round and what else it names. */
function beginning(said: string, bytesMax: number): string {
  const words = wordsOf(said)
  const begins = (share: number): readonly Stretch[] => {
    let left = bytesMax * share
    const end = words.findIndex(({ bytes }) => (left -= bytes) < 0)
    return words.slice(0, end === -1 ? words.length : end)
  }
  const few = begins(1 - namesShare)
  const names = namesIn(words.slice(few.length))
  const all = begins(1)
  if (all.length === 0) return clipLine(said, bytesMax / bytesPerToken)
  if (names.every((name) => all.includes(name))) return withGaps(said, all)
  let left = bytesMax * namesShare
  const chosen = names
    .toSorted((a, b) => b.worth - a.worth || b.bytes - a.bytes || a.from - b.from)
    .filter(({ bytes }) => bytes <= left && (left -= bytes) >= 0)
  return withGaps(said, chosen.length === 0 ? all : [...few, ...chosen.toSorted((a, b) => a.from - b.from)])
}

const namesShare = 0.5

/** What turns a meaning round stands with the word that it turns. */
function namesIn(words: readonly Stretch[]): readonly Stretch[] {
  const names: Stretch[] = []
  for (const [at, word] of words.entries()) {
    if (word.worth < nameWorth || word.from < (names.at(-1)?.to ?? 0)) continue
    const next = words[at + 1]
    const joins = word.worth >= turningWorth && next !== undefined
    names.push(joins ? { ...word, to: next.to, bytes: word.bytes + next.bytes } : word)
  }
  return names
}

/** By spaces; where a script has none, by where it changes. */
function wordsOf(text: string): readonly Stretch[] {
  const found = [...text.matchAll(/\S+\s*/gu)].flatMap(({ index, 0: word }) =>
    [...word.matchAll(runsOfScript)].map((run) => ({ from: index + run.index, word: run[0] })),
  )
  return found.map(({ from, word }, at) => {
    const worth = worthOfWord(word.replaceAll(edges, ""), at)
    return { from, to: from + word.length, bytes: Buffer.byteLength(word), worth }
  })
}

const edges = /^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu

const runsOfScript =
  /[\p{Script=Han}々]{1,6}|[\p{Script=Katakana}ー]+|\p{Script=Hiragana}+|[^\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー々]+/gu

const worthOf = (clause: string): number => wordsOf(clause).reduce((sum, { worth }) => sum + worth, 0)

/** A clause of which every word is empty says nothing. */
const worthMin = 1.5
/** From here on a word is a name. */
const nameWorth = 4
const turningWorth = 6

function worthOfWord(bare: string, at: number): number {
  if (bare === "") return 0
  if (turning.test(bare) || /ない|ません/u.test(bare)) return turningWorth
  if (/\d|[\p{L}\p{N}][_/.:@\\-][\p{L}\p{N}]|\p{Ll}\p{Lu}|^\p{Lu}{2,}$/u.test(bare)) return 5
  if (/^\p{Script=Hiragana}+$/u.test(bare)) return 0.5
  if (/^[\p{Script=Han}\p{Script=Katakana}ー々]+$/u.test(bare)) return 2
  if (empty.has(bare.toLowerCase())) return 0.2
  return at > 0 && /^\p{Lu}/u.test(bare) ? 4 : 2
}

/** Words that turn a meaning round. */
const turning =
  /^(?:not|no|never|don't|dont|doesn't|mustn't|shouldn't|can't|won't|without|only|except|unless|but|aber|außer|sauf|salvo|excepto|кроме|nie|niemals|nicht|kein\w*|ohne|nur|statt|pas|jamais|sans|nunca|sin|solo|не|никогда|только|ない|しない|しないで|ません|禁止|不要|不|不得)$/iu

const empty = new Set(
  (
    "the a an of to in on at for by with and or is are be it its this that these those as if so then than please you your we our i my me " +
    "there here i'd than which when while from into will would can could do does have has make sure use using always all every each any should must " +
    "der die das den dem des ein eine einen einem und oder ist sind im in am an auf für mit von zu zum zur bitte du wir ich " +
    "le la les un une des de du et ou est sont en dans pour avec que qui el los las una y o es son para con del por favor " +
    "и в на с по для это"
  ).split(" "),
)
