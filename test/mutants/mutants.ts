/**
 * The mutants: small lies about a mechanism, each of which a test that cites the rule must notice.
 *
 * A rule counts as proven when a mutant here names it and `npm run mutants` sees a citing test
 * fail. Choose the lie that a tired person would write, not one that breaks everything, and the
 * fastest test that should see it. They stand in one file for each part of the product.
 */
import { askingMutants } from "./permission/asking.ts"
import { bundleMutants } from "./bundle/bundles.ts"
import { commandMutants } from "./command.ts"
import { connectionMutants } from "./connections.ts"
import { contextMutants } from "./context.ts"
import { loaderMutants } from "./loaders.ts"
import { costMutants } from "./cost.ts"
import { edgeMutants } from "./recall/edges.ts"
import { epochMutants } from "./epoch.ts"
import { givenMutants } from "./program/given.ts"
import { importMutants } from "./foreign/import.ts"
import { limitMutants } from "./limits.ts"
import { figureMutants } from "./recall/figures.ts"
import { fileMutants } from "./files.ts"
import { foreignMutants } from "./foreign/audit.ts"
import { shapeMutants } from "./foreign/shapes.ts"
import { measureMutants } from "./recall/measures.ts"
import { mediaMutants } from "./media.ts"
import { memoryMutants } from "./knowledge/memory.ts"
import { placeMutants } from "./knowledge/places.ts"
import { personMutants } from "./knowledge/persons.ts"
import { statementMutants } from "./knowledge/statements.ts"
import { workspaceMutants } from "./knowledge/workspace.ts"
import type { Mutant } from "./mutant.ts"
import { permissionMutants } from "./permission/rules.ts"
import { dreamerMutants } from "./jobs/dreamer.ts"
import { runMutants } from "./jobs/runs.ts"
import { sidekickMutants } from "./jobs/sidekick.ts"
import { embeddingMutants } from "./search/embedding.ts"
import { historianMutants } from "./jobs/historian.ts"
import { recallMutants } from "./recall/passes.ts"
import { wordsMutants } from "./recall/words.ts"
import { reduceMutants } from "./recall/reduce.ts"
import { requestMutants } from "./request.ts"
import { secretMutants } from "./permission/secrets.ts"
import { meaningMutants } from "./search/meaning.ts"
import { searchMutants } from "./search/search.ts"
import { sessionMutants } from "./session.ts"
import { slotMutants } from "./recall/slots.ts"
import { storeMutants } from "./store.ts"
import { storyMutants } from "./recall/stories.ts"
import { settingMutants } from "./settings.ts"
import { surfaceMutants } from "./surface.ts"
import { terminalMutants } from "./terminals.ts"
import { turnMutants } from "./turns.ts"
import { wiresMutants } from "./wires.ts"
import { writingMutants } from "./jobs/writing.ts"

export type { Mutant } from "./mutant.ts"

export const mutants: readonly Mutant[] = [
  ...contextMutants,
  ...loaderMutants,
  ...givenMutants,
  ...edgeMutants,
  ...epochMutants,
  ...sessionMutants,
  ...askingMutants,
  ...secretMutants,
  ...turnMutants,
  ...requestMutants,
  ...recallMutants,
  ...wordsMutants,
  ...reduceMutants,
  ...measureMutants,
  ...slotMutants,
  ...figureMutants,
  ...historianMutants,
  ...writingMutants,
  ...dreamerMutants,
  ...runMutants,
  ...sidekickMutants,
  ...embeddingMutants,
  ...storyMutants,
  ...searchMutants,
  ...meaningMutants,
  ...storeMutants,
  ...bundleMutants,
  ...importMutants,
  ...settingMutants,
  ...surfaceMutants,
  ...connectionMutants,
  ...terminalMutants,
  ...wiresMutants,
  ...limitMutants,
  ...costMutants,
  ...fileMutants,
  ...foreignMutants,
  ...shapeMutants,
  ...mediaMutants,
  ...memoryMutants,
  ...placeMutants,
  ...personMutants,
  ...statementMutants,
  ...workspaceMutants,
  ...commandMutants,
  ...permissionMutants,
]
