/** Providers that name the model in the address: it stands in the settings for the record, and not in the body. */

export function withoutModel(params: string): string {
  const { model: _, ...rest } = JSON.parse(params) as Record<string, unknown>
  return JSON.stringify(rest)
}
