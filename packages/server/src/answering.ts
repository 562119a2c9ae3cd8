/**
 * Routes as one function from a request to what the framework answers: nothing of it is a web
 * Response yet, which would cost more than most answers.
 */
import { Context, Effect, Exit, type Fiber, Layer, Logger, References, Scope } from "effect"
import {
  HttpEffect,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  type HttpServerResponse,
} from "effect/http"

type Answer = HttpServerResponse.HttpServerResponse

export interface Answering {
  /** It settles with a status of its own where the request's signal ends it. */
  readonly answer: (request: Request) => Promise<Answer>
  /** Releases what the routes hold. A repeat is safe. */
  readonly dispose: () => Promise<void>
}

/** What is logged goes to standard error, since standard output is the program's own, or to who is given. */
export function makeAnswering(
  routes: Layer.Layer<HttpRouter.HttpRouter>,
  loggers: ReadonlySet<Logger.Logger<unknown, unknown>> = new Set([Logger.defaultLogger]),
): Answering {
  const scope = Scope.makeUnsafe()
  const waiting = new WeakMap<HttpServerRequest.HttpServerRequest, (answer: Answer) => void>()
  const built = Effect.runPromise(Layer.buildWithScope(routes, scope)).then((context) => ({
    context: Context.add(
      Context.add(context, References.LogToStderr, true),
      Logger.CurrentLoggers,
      new Set([...loggers, Logger.tracerLogger]),
    ),
    app: HttpEffect.toHandled(Context.get(context, HttpRouter.HttpRouter).asHttpEffect(), (request, answer) =>
      Effect.sync(() => waiting.get(request)?.(HttpEffect.scopeTransferToStream(answer))),
    ),
  }))
  let disposed: Promise<void> | undefined
  return {
    answer: async (request) => {
      const { context, app } = await built
      const { promise, resolve } = Promise.withResolvers<Answer>()
      const asked = HttpServerRequest.fromWeb(request)
      waiting.set(asked, resolve)
      const fiber = Effect.runForkWith(Context.add(context, HttpServerRequest.HttpServerRequest, asked))(app)
      interruptBy(request.signal, fiber)
      return promise
    },
    dispose: () => (disposed ??= Effect.runPromise(Scope.close(scope, Exit.void))),
  }
}

/** With the mark by which the framework knows that the caller left. */
function interruptBy(signal: AbortSignal | undefined, fiber: Fiber.Fiber<unknown>): void {
  if (signal === undefined || fiber.pollUnsafe() !== undefined) return
  const leave = () => fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation)
  if (signal.aborted) return leave()
  signal.addEventListener("abort", leave, { once: true })
  fiber.addObserver(() => signal.removeEventListener("abort", leave))
}
