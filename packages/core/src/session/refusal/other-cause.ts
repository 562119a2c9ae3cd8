/**
 * Whether a refusal in words that nobody knows names something else than the size of the request (TU5).
 *
 * Words of size count first, in whatever company. Then whatever names a part of the request, such as a role, a
 * tool, its schema or a setting, is about that part: cutting history would mend nothing and teach a false window.
 * Words that say neither, be it another language or nothing at all, leave the question open.
 */
const size =
  /\b(tokens?|context|ctx|length|long|large|big|size|exceed\w*|limit\w*|window|capacity|overflow\w*)\b/
/** Of an answer, not of what was sent. */
const answerSize = /\bmax_(completion_|output_)?tokens\b/
const path = /\b(messages|tools|system|contents|input|content|params)(\.|\[|\/)\w/
const part =
  /\b(roles?|schemas?|tools?|functions?|propert(y|ies)|parameters?|fields?|arguments?|enum|types?|json|signatures?|thinking|reasoning|temperature|top_p|stop|stream|unsupported|not supported|missing|required|unrecognized|deprecated)\b/

export function namesOtherCause(words: string): boolean {
  const said = words.toLowerCase()
  if (answerSize.test(said)) return true
  return !size.test(said) && (path.test(said) || part.test(said))
}
