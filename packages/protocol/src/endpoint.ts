/**
 * Endpoints, declared as the framework declares them, and made when somebody first looks inside.
 *
 * Every command opens a router of all operations and asks two or three of them. What each takes and answers
 * costs the framework half a millisecond to work out, so only names, methods and paths are there at once.
 */
import { HttpRouter } from "effect/http"
import { HttpApiEndpoint } from "effect/http-api"

type Made = HttpApiEndpoint.Top

class LazyEndpoint {
  readonly identifier: string
  readonly method: Made["method"]
  readonly path: string
  private readonly make: () => Made
  private made: Made | undefined

  constructor({ identifier, method, path }: Pick<Made, "identifier" | "method" | "path">, make: () => Made) {
    this.identifier = identifier
    this.method = method
    this.path = path
    this.make = make
  }

  private get endpoint(): Made {
    return (this.made ??= this.make())
  }

  get params() {
    return this.endpoint.params
  }
  get query() {
    return this.endpoint.query
  }
  get headers() {
    return this.endpoint.headers
  }
  get payload() {
    return this.endpoint.payload
  }
  get success() {
    return this.endpoint.success
  }
  get error() {
    return this.endpoint.error
  }
  get annotations() {
    return this.endpoint.annotations
  }
  get middlewares() {
    return this.endpoint.middlewares
  }
  get disableCodecs() {
    return this.endpoint.disableCodecs
  }

  prefix(...given: Parameters<Made["prefix"]>): LazyEndpoint {
    const path = HttpRouter.prefixPath(this.path as HttpRouter.PathInput, given[0])
    return new LazyEndpoint({ ...this.name, path }, () => this.endpoint.prefix(...given))
  }
  middleware(...given: Parameters<Made["middleware"]>): LazyEndpoint {
    return new LazyEndpoint(this.name, () => this.endpoint.middleware(...given) as Made)
  }
  annotate(...given: Parameters<Made["annotate"]>): LazyEndpoint {
    return new LazyEndpoint(this.name, () => this.endpoint.annotate(...given))
  }
  annotateMerge(...given: Parameters<Made["annotateMerge"]>): LazyEndpoint {
    return new LazyEndpoint(this.name, () => this.endpoint.annotateMerge(...given))
  }

  private get name() {
    const { identifier, method, path } = this
    return { identifier, method, path }
  }
}

type Declare = (identifier: string, path: string, options: object) => Made

/** To whoever declares and reads it, a lazy endpoint is the one that it makes. */
function lazily<Declaring>(method: Made["method"], declaring: Declaring): Declaring {
  const declare = declaring as Declare
  const lazy = (identifier: string, path: string, options: object) =>
    new LazyEndpoint({ identifier, method, path }, () => declare(identifier, path, options))
  return lazy as Declaring
}

export const get = lazily("GET", HttpApiEndpoint.get)
export const post = lazily("POST", HttpApiEndpoint.post)
export const patch = lazily("PATCH", HttpApiEndpoint.patch)
const remove = lazily("DELETE", HttpApiEndpoint.delete)
export { remove as delete }
