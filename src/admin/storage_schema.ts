import { z } from "zod";

export const Storage = z.object({
  database: z.enum(["server", "embedded"]),
  bytes: z.int().describe("Of the whole database on disk"),
  tables: z.array(z.object({
    name: z.string(),
    rows: z.int().nullable().describe("Estimated; null where nothing is known"),
    bytes: z.int(),
    index_bytes: z.int(),
  })).describe("Largest first"),
}).meta({ id: "Storage" });
export type Storage = z.infer<typeof Storage>;
