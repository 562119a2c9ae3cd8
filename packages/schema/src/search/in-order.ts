/** Both kinds of results of a search in their one order. */
export function inOrder<Place, Other extends { readonly place: number }, A>(
  found: readonly Place[],
  also: readonly Other[],
  place: (found: Place) => A,
  other: (found: Other) => A,
): readonly A[] {
  const before = (at: number) => also.filter((one) => one.place === at).map(other)
  return [...found.flatMap((one, at) => [...before(at), place(one)]), ...before(found.length)]
}
