import { z } from "zod";
import { Day, Id, line, NextCursor, Page, Timestamp } from "../core/schema.ts";
import { ProjectLine, TicketLine } from "../inbox/schema.ts";
import { TaskStatus } from "../tasks/schema.ts";
import { SearchText, TicketGrouping, TicketSort, USUAL_SORT } from "../tickets/schema.ts";

/** The most views that one person owns, and the most in one person's sidebar. */
export const MAX_VIEWS = 200;
export const MAX_PINS = 50;

export const ViewLayout = z.enum(["board", "list"]);
export const ViewGroup = z.enum([...TicketGrouping.options, "none"]);

const ViewName = line(1, 80);
const ViewQuery = z.union([z.literal(""), SearchText]).describe(
  "Words and filters as the list of tickets takes them in `q`. Names that are gone from the project stay in it, and " +
    "the list says so in `unrecognized`",
);
const Shared = z.boolean().describe("Everybody who reads the project reads the view, too");
const PinPlace = z.int().min(0).max(10_000).nullable().describe(
  "Where the view stands in the caller's own sidebar; null if it doesn't stand there",
);

export const View = z.object({
  id: Id,
  project_id: Id.nullable().describe("Null for a view of all projects that its owner reads"),
  owner_user_id: Id,
  shared: Shared,
  name: z.string(),
  query: z.string(),
  layout: ViewLayout,
  group_by: ViewGroup,
  sort: TicketSort,
  place: PinPlace,
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "View" });
export type View = z.infer<typeof View>;

export const ListViews = Page.extend({
  project_id: Id.optional().describe("Only views of this project"),
});
export type ListViews = z.infer<typeof ListViews>;

export const ViewList = z.object({ views: z.array(View), next_cursor: NextCursor });

export const ViewPath = z.strictObject({ viewId: Id });
export type ViewPath = z.infer<typeof ViewPath>;

export const CreateView = z.strictObject({
  name: ViewName,
  project_id: Id.nullable().default(null),
  shared: Shared.default(false),
  query: ViewQuery.default(""),
  layout: ViewLayout.default("list"),
  group_by: ViewGroup.default("none"),
  sort: TicketSort.default(USUAL_SORT),
  place: PinPlace.default(null),
});
export type CreateView = z.infer<typeof CreateView>;

export const UpdateView = ViewPath.extend({
  name: ViewName.optional(),
  shared: Shared.optional(),
  query: ViewQuery.optional(),
  layout: ViewLayout.optional(),
  group_by: ViewGroup.optional(),
  sort: TicketSort.optional(),
  place: PinPlace.optional(),
});
export type UpdateView = z.infer<typeof UpdateView>;

export const ListMyWork = Page;
export type ListMyWork = z.infer<typeof ListMyWork>;

export const MyWorkItem = z.object({
  ticket: TicketLine,
  project: ProjectLine,
  assigned: z.boolean().describe("The ticket is assigned to the caller"),
  due_on: Day.nullable(),
  open_blockers: z.int().describe("Number of open tickets for which this one waits"),
  blocks: z.int().describe("Number of open tickets that wait for this one"),
  my_tasks: z.array(z.object({ id: Id, number: z.int(), title: z.string(), status: TaskStatus })).describe(
    "The caller's unfinished tasks of the ticket, in their order; at most ten",
  ),
}).meta({ id: "MyWorkItem" });
export type MyWorkItem = z.infer<typeof MyWorkItem>;

export const MyWork = z.object({ work: z.array(MyWorkItem), next_cursor: NextCursor });
