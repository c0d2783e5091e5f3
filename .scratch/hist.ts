import { monitorEventLoopDelay } from "node:perf_hooks";
const h = monitorEventLoopDelay({ resolution: 10 }); h.enable();
await new Promise(r=>setTimeout(r,50));
const t=performance.now(); while(performance.now()-t<300);
await new Promise(r=>setTimeout(r,50));
h.disable(); console.log(h.max/1e6, h.mean/1e6);
