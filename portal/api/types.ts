import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "../../src/client_types.ts";

export type Outputs = inferRouterOutputs<AppRouter>;
export type Me = Outputs["auth"]["me"];
export type Project = Outputs["projects"]["list"]["projects"][number];
export type TicketSummary = Outputs["tickets"]["list"]["tickets"][number];
export type Ticket = Outputs["tickets"]["get"];
export type Task = Outputs["tasks"]["list"]["tasks"][number];
export type TestCase = Outputs["testCases"]["list"]["cases"][number];
export type HistoryEntry = Outputs["tickets"]["history"]["history"][number];
export type Person = Outputs["projects"]["people"]["people"][number];
export type Stage = TicketSummary["stage"];
export type Role = TicketSummary["roles"][number]["role"];
export type RoleStatus = TicketSummary["roles"][number]["status"];
export type Priority = TicketSummary["priority"];
export type RequestType = TicketSummary["request_type"];
export type ResolutionType = NonNullable<TicketSummary["resolution_type"]>;
