/**
 * A project whose directory gave its place to another one, and was not seen since (MM1): it is called by its old place and its key.
 * That leads to no directory, so nobody can name it; its directory is known by its mark wherever it is seen again.
 */
export const asideOf = (root: string, key: number | string): string => `${root}#${key}`

export const isAside = ({ root, key }: { readonly root: string; readonly key: number }): boolean =>
  root.endsWith(asideOf("", key))
