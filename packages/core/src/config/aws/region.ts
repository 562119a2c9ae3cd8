/**
 * Region: where an AWS signature holds, and where Bedrock is reached.
 *
 * It stands in a host name, to which keys are sent, so nothing but the shape of a region is taken.
 */
import type { Environment } from "../directories.ts"

/** Of the address, else of the variables; null if neither names one. */
export const regionOf = (url: string, environment: Environment): string | null =>
  regionOfUrl(url) ?? regionIn(environment)

export const isRegion = (text: string): boolean => /^[a-z0-9-]{1,64}$/.test(text)

/** documented: the variables of the AWS tools, in their order. */
export function regionIn(environment: Environment): string | null {
  const found = ["AWS_REGION", "AWS_DEFAULT_REGION"].map((name) => environment[name]?.trim() ?? "")
  return found.find(isRegion) ?? null
}

/** documented: the hosts of Bedrock's runtime, public, FIPS and private; null for any other. */
export function regionOfUrl(url: string): string | null {
  const host = URL.canParse(url) ? new URL(url).hostname : ""
  const match =
    /^(?:[\w-]+\.)?bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.(?:vpce\.)?(?:amazonaws\.com|api\.aws)$/.exec(
      host,
    )
  return match?.[1] ?? null
}

export const bedrockUrl = (region: string): string => `https://bedrock-runtime.${region}.amazonaws.com`
