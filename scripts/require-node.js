// Stops a script at once, in words, when it runs on another Node than the one Holdfast is written for.
// Plain JavaScript in old syntax on purpose: it has to run on the Node that it refuses.
var wanted = 26
var found = Number(process.versions.node.split(".")[0])

if (found !== wanted) {
  console.error(
    "Holdfast needs Node " +
      wanted +
      ", but this is Node " +
      process.versions.node +
      ". " +
      "Run `npm ci` (it brings Node " +
      wanted +
      " for this platform), then start things with `npm run …`, " +
      "or with `npx node <file>`; a bare `node` is the one of your system.",
  )
  process.exit(1)
}
