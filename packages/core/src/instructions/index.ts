/** Instructions: what other folders of the runtime may use of them. */
export {
  discoverInstructions,
  type Candidate,
  findCutInstructions,
  instructionFileName,
  type CutInstruction,
  type IrregularInstruction,
  type Instruction,
  type InstructionSettings,
} from "./discovery.ts"
export { isSameAnswer, nodeInstructionFiles } from "./files.node.ts"
export { instructionBytesMax, type FileContent, type InstructionFiles } from "./files.ts"
export {
  aboveMs,
  asDirectory,
  findProjectAgain,
  findProjectRoot,
  type FoundProject,
  type Project,
  type RepositoryKind,
} from "./project.ts"
export { metPaths, nestedDirectories } from "./nested.ts"
export { keepLook } from "./kept-look.ts"
export { instructionsKey, instructionsSource, sourceOfInstructions } from "./source.ts"
