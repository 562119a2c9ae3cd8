#!/usr/bin/env node
/**
 * The command `holdfast-conformance`, as installed: the bundle lies beside it, and starts when it is imported.
 *
 * Plain JavaScript, because a Node that is too old for the bundle has to read at least this.
 */
const nodeMajorMin = 22

if (Number(process.versions.node.split(".")[0]) >= nodeMajorMin) {
  await import("../dist/main.js")
} else {
  console.error(
    `holdfast-conformance needs Node ${nodeMajorMin} or newer, but this is Node ${process.versions.node}. ` +
      "Install a newer Node from https://nodejs.org, and run it again.",
  )
  process.exitCode = 2
}
