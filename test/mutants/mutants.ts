/**
 * The mutants: small lies about a mechanism, each of which a test that cites the rule must notice.
 *
 * A rule counts as proven when a mutant here names it and `npm run mutants` sees a citing test
 * fail. Choose the lie that a tired person would write, not one that breaks everything, and the
 * fastest test that should see it. They stand in one file for each part of the product.
 */
import { askingMutants } from "./asking.ts"
import { commandMutants } from "./command.ts"
import { connectionMutants } from "./connections.ts"
import { contextMutants } from "./context.ts"
import { epochMutants } from "./epoch.ts"
import { limitMutants } from "./limits.ts"
import { fileMutants } from "./files.ts"
import { foreignMutants } from "./foreign/audit.ts"
import { mediaMutants } from "./media.ts"
import type { Mutant } from "./mutant.ts"
import { permissionMutants } from "./permissions.ts"
import { requestMutants } from "./request.ts"
import { secretMutants } from "./secrets.ts"
import { sessionMutants } from "./session.ts"
import { storeMutants } from "./store.ts"
import { surfaceMutants } from "./surface.ts"
import { terminalMutants } from "./terminals.ts"
import { turnMutants } from "./turns.ts"
import { wiresMutants } from "./wires.ts"

export type { Mutant } from "./mutant.ts"

export const mutants: readonly Mutant[] = [
  ...contextMutants,
  ...epochMutants,
  ...sessionMutants,
  ...askingMutants,
  ...secretMutants,
  ...turnMutants,
  ...requestMutants,
  ...storeMutants,
  ...surfaceMutants,
  ...connectionMutants,
  ...terminalMutants,
  ...wiresMutants,
  ...limitMutants,
  ...fileMutants,
  ...foreignMutants,
  ...mediaMutants,
  ...commandMutants,
  ...permissionMutants,
]
