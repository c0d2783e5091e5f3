import { invalidField } from "../core/errors.ts";
import { Id } from "../core/schema.ts";
import type { Caller } from "./tool.ts";

/** A person of a project. */
export interface Named {
  id: string;
  name: string;
}

/** The most people whom an error lists. */
const LISTED = 10;

/**
 * Finds a person by the whole name, by the beginning of a word of it, by the e-mail address or by
 * the id.
 * @throws {AppError} invalid_request that lists the people who fit, if they are several
 */
export async function findPerson(
  { call }: Pick<Caller<"projects.people">, "call">,
  { projectId, named, field }: { projectId: string; named: string; field: string },
): Promise<Named> {
  const wanted = named.replace(/^@/, "").trim();
  const how = Id.safeParse(wanted).success
    ? { user_id: wanted }
    : /^[^\s@]+@[^\s@]+$/.test(wanted)
    ? { email: wanted }
    : { q: wanted };
  const { people } = await call("projects.people", { id: projectId, ...how, deactivated: false, limit: 50 });
  const exact = people.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const fitting = exact.length > 0 ? exact : people;
  if (fitting.length === 1) return fitting[0]!;
  if (fitting.length === 0) throw invalidField(field, `Nobody called ${wanted} can see this project`);
  const listed = fitting.slice(0, LISTED).map(({ id, name }) => `${name} (${id})`).join(", ");
  throw invalidField(
    field,
    `Several people fit ${wanted}: ${listed}. Send an e-mail address or one of these ids`,
  );
}
