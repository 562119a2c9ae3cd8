/** One input object as the parts of a request: what stands in the path, and the rest. */

type Request<Method> = Method extends (request: infer Given) => unknown
  ? Omit<Exclude<Given, void>, "responseMode">
  : never
type Part<Given, Name extends string> = Given extends { readonly [K in Name]: infer Value } ? Value : never
type Together<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  part: infer All,
) => void
  ? All
  : never

/** What a caller gives: the fields of all parts in one object. */
export type InputOf<Method, Names extends string> = Together<
  Names extends string ? Part<Request<Method>, Names> : never
>

export function partsOf<Method>(
  input: unknown,
  inPath: readonly string[],
  rest: "query" | "payload" | null,
  headers?: object,
): Request<Method> {
  const fields = Object.entries(input as object)
  return {
    ...(inPath.length > 0 && {
      params: Object.fromEntries(fields.filter(([name]) => inPath.includes(name))),
    }),
    ...(rest !== null && { [rest]: Object.fromEntries(fields.filter(([name]) => !inPath.includes(name))) }),
    ...(headers && { headers }),
  } as Request<Method>
}
