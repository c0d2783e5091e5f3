import { z } from "zod";
import { LONG_FIELDS } from "../core/parts.ts";
import { slicedParser } from "./_slices.ts";
import { ImportTickets, TicketRecord } from "./schema.ts";

const parseRecords = slicedParser(TicketRecord, [...LONG_FIELDS, "part_creations"]);
const Outline = ImportTickets.extend({
  records: ImportTickets.shape.records.clone({
    ...ImportTickets.shape.records.def,
    element: z.unknown() as never,
  }),
});

/**
 * Parses an import as its schema does. The largest imports take half a second, so other calls run
 * in between.
 * @throws {z.ZodError}
 */
async function parse(input: unknown): Promise<ImportTickets> {
  const outline = Outline.safeParse(input);
  const values: unknown = outline.success ? outline.data.records : (input as ImportTickets | null)?.records;
  const isList = Array.isArray(values) && values.length <= 100;
  const { data, issues } = isList ? await parseRecords(values) : { data: [], issues: [] };
  const all = [
    ...outline.error?.issues ?? [],
    ...issues.map((issue) => ({ ...issue, path: ["records", ...issue.path] })),
  ];
  if (all.length > 0) throw new z.ZodRealError(all);
  return { ...outline.data!, records: data as TicketRecord[] };
}

/** The schema of an import. Its `parse` returns a promise, which REST and tRPC await. */
export const ImportInput: typeof ImportTickets = Object.assign(ImportTickets.clone(ImportTickets.def), {
  parse: parse as never,
});
