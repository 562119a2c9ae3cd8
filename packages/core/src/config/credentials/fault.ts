/** Why a key cannot be had. The message ends a sentence that begins with the provider, and holds no secret. */
import { Data } from "effect"

export class CredentialFault extends Data.TaggedError("CredentialFault")<{
  readonly code: CredentialFaultCode
  readonly message: string
}> {}

export type CredentialFaultCode =
  | "variable_unset"
  | "file_missing"
  | "file_unreadable"
  | "file_not_regular"
  | "file_foreign"
  | "file_open"
  | "command_not_started"
  | "command_failed"
  | "command_slow"
  | "key_empty"
  | "key_malformed"
  | "key_expired"
  | "profile_missing"
  | "profile_keyless"
  | "region_missing"
