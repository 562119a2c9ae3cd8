/** An answer as it is written to a socket that the framework does not serve; the connection ends with it. */
import { STATUS_CODES } from "node:http"

export const rawAnswer = (status: number, value: object): string => {
  const body = JSON.stringify(value)
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    "",
    body,
  ].join("\r\n")
}
