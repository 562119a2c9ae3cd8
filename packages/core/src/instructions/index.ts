/** Instructions: what other folders of the runtime may use of them. */
export {
  discoverInstructions,
  type Candidate,
  findCutInstructions,
  instructionFileName,
  type CutInstruction,
  type Instruction,
  type InstructionSettings,
} from "./discovery.ts"
export { nodeInstructionFiles } from "./files.node.ts"
export { instructionBytesMax, type FileContent, type InstructionFiles } from "./files.ts"
export {
  asDirectory,
  findProjectAgain,
  findProjectRoot,
  type FoundProject,
  type Project,
  type RepositoryKind,
} from "./project.ts"
export { metPaths, nestedDirectories } from "./nested.ts"
export { instructionsKey, instructionsSource } from "./source.ts"
