import { useQuery } from "@tanstack/react-query";
import type { Project, View } from "../api/types.ts";
import { meQuery } from "../data/me.ts";

/** Whether the person is offered to change the view, as its owner or as an admin of its project. */
export function useMayChange(view: View | undefined, project: Project | null | undefined): boolean {
  const { data: me } = useQuery(meQuery);
  if (!view || !me) return false;
  return view.owner_user_id === me.user.id || project?.my_role === "admin";
}
