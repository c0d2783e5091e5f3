import { outlineJson } from "../src/core/json_outline.ts";
const enc = new TextEncoder();
const n=8_388_000;
const bodies: Record<string,string> = {
 deep: '['.repeat(n)+']'.repeat(n), objs: '['+'{},'.repeat(5_500_000)+'{}]', quotes: '["'+'\\"'.repeat(n-10)+'"]', backs: '["'+'\\'.repeat(2*n-10)+'"]', text: '["'+'x'.repeat(2*n)+'"]', small: '["'+'a","'.repeat(n/2)+'"]', bq: '["' + ('\\'.repeat(1001)+'"').repeat(16000)+'"]',
};
for (const [k,v] of Object.entries(bodies)) { const b=enc.encode(v); const t=performance.now(); let o: unknown; try { o=outlineJson(b).length } catch (e) { o=String(e) }; console.log(k,b.length,Math.round(performance.now()-t),'ms',o); }
const s=enc.encode(JSON.stringify({title:"Upload fails", description:"x".repeat(400), roles:["a"], e:{a:1,b:{c:2}}}));
let t=performance.now(); for(let i=0;i<100000;i++) outlineJson(s); console.log('small',s.length,(performance.now()-t)/100,'us');
t=performance.now(); for(let i=0;i<100000;i++) JSON.parse(new TextDecoder("utf-8",{fatal:true}).decode(s)); console.log('parse',(performance.now()-t)/100,'us');
