/** Lies about single requests: how long they may be, when they are over, and what they leave behind. */
import { type Mutant, tests } from "./mutant.ts"

const client = tests("packages/client/test/client.test.ts")
const embedded = tests("packages/sdk/test/embedded.test.ts")
const listening = tests("packages/server/test/listen.test.ts")

export const connectionMutants: readonly Mutant[] = [
  {
    name: "a long head is no fault of its own",
    rules: ["CO1"],
    file: "packages/server/src/sockets/unreadable-request.ts",
    find: 'case "HPE_HEADER_OVERFLOW":',
    replace: 'case "HPE_NONE":',
    run: listening,
  },
  {
    name: "a client that speaks of what it could not encode",
    rules: ["CL4"],
    file: "packages/client/src/effect-request.ts",
    find: "(Result.isFailure(read) ? read : encoded).failure",
    replace: "encoded.failure",
    run: tests("packages/client/test/both-clients.test.ts"),
  },
  {
    name: "a signal that remembers every call",
    rules: ["EM1"],
    file: "packages/server/src/answering.ts",
    find: '  fiber.addObserver(() => signal.removeEventListener("abort", leave))\n',
    replace: "",
    run: embedded,
  },
  {
    name: "a caller that has gone already is served",
    rules: ["CL5"],
    file: "packages/server/src/answering.ts",
    find: "  if (signal.aborted) return leave()\n",
    replace: "",
    run: { ...tests("packages/server/test/hang-up.test.ts"), title: "has gone already" },
  },
  {
    name: "a length in characters",
    rules: ["EM1"],
    file: "packages/server/src/direct-request.ts",
    find: '"content-length": String(this.#body.length)',
    replace: '"content-length": String(body.length)',
    run: embedded,
  },
  {
    name: "a payload of the limit is too long",
    rules: ["CO1"],
    file: "packages/server/src/direct-request.ts",
    find: "bytes > bytesMax",
    replace: "bytes >= bytesMax",
    run: listening,
  },
  {
    name: "HEAD of a stream that does not end",
    rules: ["CO1"],
    file: "packages/server/src/listen.ts",
    find: 'if (incoming.method === "HEAD" || outgoing.destroyed)',
    replace: "if (outgoing.destroyed)",
    run: listening,
  },
  {
    name: "a refused payload is read to its end",
    rules: ["CO1"],
    file: "packages/server/src/listen.ts",
    find: '  incoming.headers["transfer-encoding"] === undefined &&\n',
    replace: "",
    run: listening,
  },
  {
    name: "a stream that failed stays connected",
    rules: ["CL5"],
    file: "packages/client/src/network.ts",
    find: '    limit.signal?.removeEventListener("abort", leave)\n    leave()\n',
    replace: '    limit.signal?.removeEventListener("abort", leave)\n',
    run: client,
  },
  {
    name: "a timer that outlives its call",
    rules: ["CL5"],
    file: "packages/client/src/network.ts",
    find: "        throw told(cause, limit, options)\n      } finally {\n        limit.end()\n      }",
    replace: "        throw told(cause, limit, options)\n      }",
    run: client,
  },
  {
    name: "a failure that nobody knows, taken for the server's",
    rules: ["CL2"],
    file: "packages/client/src/network.ts",
    find: "tag !== null && failureTags.has(tag)",
    replace: "tag !== null",
    run: client,
  },
]
