import { useQuery } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { unreadQuery } from "../data/inbox.ts";
import { waitingCountQuery } from "../data/waiting.ts";
import { Bell, Projects, Search, Tasks, Waiting } from "../ui/icons.tsx";
import { app } from "../words/app.ts";

interface AreaLink {
  to: string;
  label: string;
  Icon: ComponentType;
  /** The count that is shown next to the label. */
  badge?: () => number | undefined;
}

/** The areas that belong to no project, in the order of the navigation. */
export const AREA_LINKS: AreaLink[] = [
  { to: "/", label: app.waiting, Icon: Waiting, badge: useWaitingCount },
  { to: "/my-work", label: app.myWork, Icon: Tasks },
  { to: "/inbox", label: app.inbox, Icon: Bell, badge: useUnread },
  { to: "/search", label: app.search, Icon: Search },
  { to: "/projects", label: app.projects, Icon: Projects },
];

/** `of` is a hook, so it must stay the same for an area. */
export function Badge({ of }: { of: () => number | undefined }) {
  const count = of();
  return count ? <span className="badge">{count > 99 ? "99+" : count}</span> : null;
}

export function useWaitingCount(): number | undefined {
  return useQuery(waitingCountQuery).data?.total;
}

export function useUnread(): number | undefined {
  return useQuery(unreadQuery).data?.unread;
}
