/** Adds to a map that keeps only what was added last. */
export function keepNewest<K, V>(map: Map<K, V>, key: K, value: V, countMax: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= countMax) return
    map.delete(oldest)
  }
}
