import { conform, reportText } from "/work/wt-conf/packages/conformance/src/index.ts"
import { openInProcess, openServed } from "/work/wt-conf/packages/conformance/test/targets.ts"
const [which, only] = process.argv.slice(2)
await using opened = await (which === "served" ? openServed() : openInProcess())
const t=performance.now()
const c = await conform(opened.target, { inputs: 3, ...(only ? { only } : {}) })
console.log(reportText(c))
console.log(Math.round(performance.now()-t), "ms", c.results.toSorted((a,b)=>b.durationMs-a.durationMs).slice(0,12).map(r=>`${r.durationMs} ${r.title}`).join("\n"))
