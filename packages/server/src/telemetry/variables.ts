/** The variables of OpenTelemetry, looked at before anything of it is loaded. */
import { ConfigurationInvalid } from "@holdfast/schema/error"

export type Variables = Readonly<Record<string, string>>

const endpoints = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
] as const

const protocols: readonly string[] = ["http/protobuf", "http/json"]

/** Those that are set; null where nothing is to be sent. Throws ConfigurationInvalid for one that cannot be followed. */
export function telemetryVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Variables | null {
  const variables = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value = ""]) =>
      name.startsWith("OTEL_") && value.trim() !== "" ? [[name, value.trim()] as const] : [],
    ),
  )
  const given = endpoints.filter((name) => variables[name] !== undefined)
  if (given.length === 0 || variables["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return null
  const bad = given.find((name) => !isHttp(variables[name] ?? ""))
  if (bad !== undefined) throw invalid(bad, "is no address: write it as http://127.0.0.1:4318")
  const protocol = variables["OTEL_EXPORTER_OTLP_PROTOCOL"]
  if (protocol !== undefined && !protocols.includes(protocol))
    throw invalid(
      "OTEL_EXPORTER_OTLP_PROTOCOL",
      `names a protocol that is not spoken: use ${protocols.join(" or ")}`,
    )
  return variables
}

const isHttp = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "")

const invalid = (name: string, problem: string): ConfigurationInvalid =>
  new ConfigurationInvalid({ file: name, line: 0, message: `The variable ${name} ${problem}, or unset it.` })
