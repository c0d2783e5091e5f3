import { z } from "zod";
import { Slug } from "../accounts/schema.ts";
import {
  anyText,
  distinct,
  Id,
  IdPage,
  IdPath,
  line,
  NextCursor,
  Page,
  ProjectRole,
  queryBoolean,
  RepoName,
  Timestamp,
  UserKind,
} from "../core/schema.ts";

export const ProjectKey = z.string().regex(
  /^[A-Z][A-Z0-9]{1,9}$/,
  "Expected 2 to 10 capital letters and digits, a letter first",
);

const Repositories = distinct(
  z.array(RepoName).max(200),
  "a repository",
  (name) => name.toLowerCase(),
);

export const Closing = z.enum(["anyone", "people"]).describe(
  "Who closes tickets. people: a bot client brings a ticket to validation at most; a deploy still closes",
);

/** Intl knows the same names as the database, and tells an offset such as +02:00 from a zone. */
export const TimeZone = anyText(1, 64).refine(
  isTimeZone,
  "Expected the name of a time zone, such as Europe/Berlin",
)
  .describe("In which a day ends, so that a ticket is overdue");

function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export const Project = z.object({
  id: Id,
  account_id: Id,
  name: z.string(),
  key: z.string(),
  former_keys: z.array(z.string()).describe(
    "Keys that the project had before; refs with these keys still lead to its tickets",
  ),
  slug: z.string(),
  repositories: z.array(z.string()),
  closing: Closing,
  time_zone: z.string(),
  archived_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
  my_role: ProjectRole.describe(
    "The caller's role; an API key has the role of its owner, narrowed by its scopes",
  ),
}).meta({ id: "Project" });
export type Project = z.infer<typeof Project>;

export const CreateProject = z.strictObject({
  name: line(1, 120),
  key: ProjectKey.optional().describe("When absent: made from the name"),
  slug: Slug.optional().describe("When absent: made from the name"),
  repositories: Repositories.default([]),
  closing: Closing.default("anyone"),
  time_zone: TimeZone.default("UTC"),
  account_id: Id.optional().describe("An account other than the caller's; for super admins only"),
});
export type CreateProject = z.infer<typeof CreateProject>;

export const UpdateProject = IdPath.extend({
  name: line(1, 120).optional(),
  key: ProjectKey.optional().describe(
    "The former key stays with the project, so that no other project can take it",
  ),
  slug: Slug.optional(),
  closing: Closing.optional(),
  time_zone: TimeZone.optional(),
  archived: z.boolean().optional(),
});
export type UpdateProject = z.infer<typeof UpdateProject>;

export const ListProjects = Page.extend({ archived: queryBoolean.optional() });
export type ListProjects = z.infer<typeof ListProjects>;

export const ProjectList = z.object({ projects: z.array(Project), next_cursor: NextCursor });

export const Member = z.object({
  user_id: Id,
  email: z.string().nullable().describe("Null for callers who don't administer the project"),
  name: z.string(),
  role: ProjectRole,
  created_at: Timestamp,
}).meta({ id: "Member" });
export type Member = z.infer<typeof Member>;

export const MemberList = z.object({ members: z.array(Member), next_cursor: NextCursor });

export const Person = z.object({
  id: Id,
  name: z.string(),
  email: z.string().nullable().describe("Null for viewers and for API keys"),
  kind: UserKind,
  role: ProjectRole.describe("The user's role in the project"),
  deactivated_at: Timestamp.nullable(),
}).meta({ id: "Person" });
export type Person = z.infer<typeof Person>;

export const ListPeople = IdPage.extend({
  q: anyText(1, 200).optional().describe("The beginning of a word of the name"),
  email: anyText(1, 320).optional().describe("The person with this e-mail address"),
  user_id: Id.optional().describe("This person alone, if they have a role in the project"),
  deactivated: queryBoolean.optional().describe("true: deactivated users only; false: all others"),
});
export type ListPeople = z.infer<typeof ListPeople>;

export const PersonList = z.object({ people: z.array(Person), next_cursor: NextCursor });

export const Candidate = z.object({ id: Id, name: z.string(), email: z.string(), kind: UserKind })
  .meta({ id: "Candidate" });
export type Candidate = z.infer<typeof Candidate>;

export const ListCandidates = IdPage.extend({
  q: anyText(1, 200).optional().describe("The beginning of a word of the name, or of the email"),
});
export type ListCandidates = z.infer<typeof ListCandidates>;

export const CandidateList = z.object({ candidates: z.array(Candidate), next_cursor: NextCursor });

export const MemberPath = IdPath.extend({ userId: Id });
export const PutMember = MemberPath.extend({ role: ProjectRole });
export type PutMember = z.infer<typeof PutMember>;

export const PutRepositories = IdPath.extend({ repositories: Repositories });
export type PutRepositories = z.infer<typeof PutRepositories>;
