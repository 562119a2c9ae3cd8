/**
 * How much a sentence of the user sounds like something that holds for longer than the next step: a score and no verdict,
 * so that what is not recognised still has a rank (HI1). It knows marks of several languages; what stands around a sentence
 * counts beside them. Pure, and the same for any text.
 */

/** Words that make something hold: how often, for whom, for how long. */
const lasting =
  /^(?:before|after) you\b|^(?:whatever (?:you do|happens)|no matter)\b|\b(?:under no circumstances|at (?:all times|no time)|auf keinen fall|en aucun cas|bajo ningún concepto)\b|^when(?:ever)? you (?!are\b|have\b|'re\b|can\b|get\b)|\b(always|never|must|mustn't|don't|do not|remember|from now on|going forward|by default|make sure|only|avoid|prefer|important|keep in mind|rules?|conventions?|instead of|rather than|(?<=d )rather|require[sd]?|should(?:n't)?|all|every|each|any|unless|whenever|without|nothing|nobody|stays?|immer|nie|niemals|merke?|nur|stets|alle[nrsm]?|jede[nrsm]?|ab jetzt|kein(?:e|en|er)?|ohne|statt|toujours|jamais|chaque|sans|désormais|ne pas|siempre|nunca|solo|sin|cada|sempre|mai|всегда|никогда)\b|必ず|絶対|常に|しないで|禁止|すべて|以外|всегда|никогда|только|каждый|не надо|不要|必须|总是|始终|所有|每|只|禁止|不得|请记住|항상|절대|마세요/iu

/** Verbs by which people set how things are done, where a sentence begins with one. */
const conventional =
  /^(?:(?:please|also|and|then|but|bitte|por favor|merci de|請|请) ?,? )*(?:use|keep|reply|answer|respond|speak|call|name|spell|round|write|format|indent|treat|assume|ask (?:me|us|before|first|for)|leave|stick|stay|follow|respect|prefer|limit|cap|pin|target|store|log|sort|sign|mark|quote|put|label|prefix|end|expect|count|measure|report|wrap|cite|document|stop (?:using|adding|writing|putting|calling|saying|asking|doing|making|creating|committing|repeating|apologi[sz]ing)|no(?= \p{L})(?! (?:need|hurry|rush|worr|problem|doubt|idea|wonder|matter|thank))|not(?= \p{L})|verwende|nutze|benutze|antworte|schreibe?|halte|nenne|runde|bevorzuge|vermeide|frage?|lasse?|gib|utilise[sz]?|réponds|répondez|garde[sz]?|écris|écrivez|évite[sz]?|préfère|n'|usa|use|responde|mantén|escribe|evita|prefiere|rispondi|scrivi|используй|отвечай|пиши|называй)\b|^(?:请|請)?(?:用|使用|保持|回复|回答|不)/iu

/** What asks for one thing now. */
const once =
  /^(?:(?:please|also|and|then|now|next|ok(?:ay)?|so|bitte|jetzt|first|great|good)[ ,.!]+)*(?:fix|add|implement|create|look|check|show|explain|continue|go|proceed|run|find|read|make a|update|remove|delete|refactor|port|try|start|begin|mend|build|tell|list|open|let's|let me|i(?!'d (?:rather|prefer))(?:'ll|'m| want| need| would| will| think| have| am| get| see| tried)?|can you|could you|would you|it(?!(?:'s| is) (?:very |really )?(?:important|crucial|essential|vital|mandatory) that)(?:'s)?|that(?:'s)?|this|there|here|yes|no|thanks?|thank you|what|why|how|when(?! you\b)|where|who|which|is|are|does|did|do you|weiter|mach|zeig|schau|füge|behebe|続け|直して|继续|修复|продолжай)\b/iu

/** What asks politely for something that holds; the rest of it says for what. */
const polite =
  /^(?:(?:please|also|and|but|ok(?:ay)?|so),? )*(?:(?:can|could|would|will) you (?:please )?(?=(?:please|always|never|only|not|avoid|make sure|stick|from now on|stop \w+ing|keep (?!going|on\b|working|trying)))|i (?:want|need|expect|(?:wou|')l?d like) you to (?=(?:always|never|not|avoid|only|keep)\b)|let's (?=(?:always|never|only|not|avoid|keep (?!going|on\b|working|trying)|use|stick|stay|prefer)\b))/iu

/** A question, or what only leads to something else. */
const asks = /[?？:：]\s*["')\]]*$/u
/** Signs of code, of a log or of a table rather than of a sentence. */
const pasted =
  /^(?:[>$#|+@{}[\]<]|\/[/*]|\*\/|at [^()]*\([^()]*\)$|at \S+:\d+$|\d{4}-\d\d-\d\d|import |export |const |function |interface |readonly |def \w+\(|(?:if|for|while) \(|return [\w.]+(?:$|\()|[a-z]\w*\??: (?:[A-Z]\w*|string|number|boolean|null)[,;]?$|diff )|[{};]\s*$|=>|&&|\|\||[=!]==|\)\s*[{;]|\\[nt"]|":/u
const label = /^[\p{L}\p{N} ]{1,24}: /u
const sign = /[{}()[\]=<>;|&]/gu
const signsMin = 6
const signsShareMin = 0.05

/** Where it stands among words, it is named and not called. */
const called = /\w\(\w*\)/u
const word = /(?<![^\s"'(])\p{L}[\p{L}'’]*(?![^\s,.;:!?"')])/gu
const wordsMin = 3

/** Whether it looks like code, a log or a table that was pasted, rather than like a sentence. */
export function isPasted(sentence: string): boolean {
  if (pasted.test(sentence) || pasted.test(sentence.replace(label, ""))) return true
  const words = sentence.match(word)?.length ?? 0
  if (called.test(sentence) && words < wordsMin && !conventional.test(sentence)) return true
  if (words >= wordsMin && conventional.test(sentence) && /^[\p{L}']+ \p{L}/u.test(sentence)) return false
  const signs = sentence.match(sign)?.length ?? 0
  return signs >= signsMin && signs >= sentence.length * signsShareMin
}

export const isAsked = (sentence: string): boolean => asks.test(sentence)

/** From about -80 to 95; above `standingMin` it is taken for a rule. */
export function standingScore(said: string): number {
  const sentence = politely(said)
  const marks = lasting.test(sentence)
  const convention = conventional.test(sentence)
  return (
    (marks ? 50 : contrasted.test(sentence) ? 25 : 0) +
    (convention ? 40 : 0) -
    (once.test(sentence) && !convention ? 30 : 0) -
    (isAsked(sentence) ? 45 : 0) -
    (isPasted(sentence) ? 50 : 0) -
    (sentence.length > longUnits ? 15 : 0)
  )
}

/** What is asked for politely, as it would be said otherwise: a question that asks for no answer. */
function politely(said: string): string {
  const begins = polite.exec(said)?.[0]
  return begins === undefined ? said : said.slice(begins.length).replace(/\?\s*$/u, ".")
}

/** One of two is to be, and the other is not. */
const contrasted = /, (?:(?:and )?not|(?:und )?nicht|(?:et )?pas|(?:y )?no) (?=[\p{L}\p{N}`"'])/iu

export const standingMin = 25
const longUnits = 240

/** What stands around a sentence. */
export interface Around {
  /** The message is a list, and this is one of its points. */
  readonly listed: boolean
  /** Others of the same message are rules. */
  readonly amongRules: boolean
  /** The answer to it made no call: it asked for nothing to be done now. */
  readonly quiet: boolean
  /** Said at the beginning of the Session. */
  readonly early: boolean
}

export const standingAround = ({ listed, amongRules, quiet, early }: Around): number =>
  (listed ? 10 : 0) + (amongRules ? 20 : 0) + (quiet ? 20 : 0) + (early ? 10 : 0)
