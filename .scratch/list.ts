import { publishedProcedures } from "../src/http/procedures.ts";
import { z } from "zod";
for (const {name, meta, output, input} of publishedProcedures()) {
  const arrays = output instanceof z.ZodObject ? Object.entries(output.shape).filter(([,v])=> { let s:any=v; while (s.unwrap) s=s.unwrap(); return s instanceof z.ZodArray;}).map(([k])=>k) : [output.constructor.name];
  console.log(meta.method.padEnd(7), meta.path.padEnd(70), name.padEnd(32), meta.access, arrays.join(), output instanceof z.ZodObject && "next_cursor" in output.shape ? "CURSOR":"");
}
