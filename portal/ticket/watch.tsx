import { useMutation, useQuery } from "@tanstack/react-query";
import type { Project } from "../api/types.ts";
import { sayRefused } from "../app/toasts.tsx";
import { meQuery } from "../data/me.ts";
import { changeWatch, watchersQuery } from "../data/watch.ts";
import { Bell } from "../ui/icons.tsx";
import { Toggle } from "../ui/toggle.tsx";
import { ticket as words } from "../words/ticket.ts";

/** Switches whether news of the ticket goes to the person's inbox. */
export function Watch({ project, ticketRef }: { project: Project; ticketRef: string }) {
  const at = { id: project.id, ticketId: ticketRef };
  const { data: me } = useQuery(meQuery);
  const { data } = useQuery(watchersQuery(at));
  const own = data?.watchers.find(({ user_id }) => user_id === me?.user.id);
  const isWatching = own !== undefined && !own.muted;
  const change = useMutation({ ...changeWatch(at), onError: (error) => sayRefused(error) });
  return (
    <Toggle
      className="button quiet watch"
      isOn={isWatching}
      change={(watch) => change.mutate(watch)}
    >
      <Bell />
      {isWatching ? words.watching : words.watch}
    </Toggle>
  );
}
