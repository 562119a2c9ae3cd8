#!/usr/bin/env node
/** The command `holdfast-conformance`, as installed: the bundle lies beside it, and starts when it is imported. */
await import("../dist/main.js")
