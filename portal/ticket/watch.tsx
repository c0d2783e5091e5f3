import { useMutation, useQuery } from "@tanstack/react-query";
import { handoff, queryClient, trpc } from "../api/client.ts";
import type { Project } from "../api/types.ts";
import { sayRefused } from "../app/toasts.tsx";
import { Bell } from "../ui/icons.tsx";
import { Toggle } from "../ui/toggle.tsx";
import { ticket as words } from "../words/ticket.ts";

/** Switches whether news of the ticket goes to the person's inbox. */
export function Watch({ project, ticketRef }: { project: Project; ticketRef: string }) {
  const at = { id: project.id, ticketId: ticketRef };
  const { data: me } = useQuery(trpc.auth.me.queryOptions({}));
  const { data } = useQuery(trpc.watch.list.queryOptions(at));
  const own = data?.watchers.find(({ user_id }) => user_id === me?.user.id);
  const isWatching = own !== undefined && !own.muted;
  const change = useMutation({
    mutationFn: async (watch: boolean): Promise<unknown> =>
      await handoff.api.watch[watch ? "put" : "remove"].mutate(at),
    onError: (error) => sayRefused(error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [["watch"]] }),
  });
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
