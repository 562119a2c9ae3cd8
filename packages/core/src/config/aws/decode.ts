/** Decoding of `aws` of a provider: where the keys come from that its requests are signed with. */
import { homedir } from "node:os"
import { join } from "node:path"
import type { Environment } from "../directories.ts"
import { faultAt, type Fields, objectIn, textIn, textsIn } from "../document.ts"
import type { AwsKey } from "../settings.ts"
import { isRegion } from "./region.ts"

const awsNames = ["profile", "file", "command", "region"]
const profileDefault = "default"

/** `pathOf` makes a path absolute, or notes a fault. */
export function decodeAws(
  fields: Fields,
  environment: Environment,
  pathOf: (fields: Fields, key: string, path: string) => string,
): AwsKey | null {
  const aws = objectIn(fields, "aws", awsNames)
  if (aws === undefined) return null
  const region = textIn(aws, "region", `"eu-central-1"`) ?? null
  if (region !== null && !isRegion(region))
    faultAt(aws, "region", `must be the name of a region such as "eu-central-1".`)
  const argv = textsIn(aws, "command", `["aws", "configure", "export-credentials"]`)
  const beside = ["profile", "file"].find((key) => aws.byKey.has(key))
  if (argv !== undefined && beside !== undefined)
    faultAt(aws, beside, "stands beside command. Keep one of them.")
  const profile = textIn(aws, "profile", `"work"`)
  const file = textIn(aws, "file", `"~/.aws/credentials"`)
  if (argv !== undefined) return { kind: "aws", from: { kind: "command", argv }, region }
  if (beside === undefined) return { kind: "aws", from: { kind: "environment" }, region }
  return {
    kind: "aws",
    from: {
      kind: "profile",
      file: file === undefined ? sharedFile(environment) : pathOf(aws, "file", file),
      profile: profile ?? profileDefault,
    },
    region,
  }
}

/** documented: where the AWS tools keep it. */
const sharedFile = (environment: Environment): string =>
  environment["AWS_SHARED_CREDENTIALS_FILE"]?.trim() ||
  join(environment["HOME"] || homedir(), ".aws", "credentials")
