import { useInfiniteQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import { handoff, queryClient, trpc } from "../api/client.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { Rows, RowText } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { admin as words } from "../words/admin.ts";

interface Page {
  next_cursor: string | null;
}

/** Shows the received deliveries of all senders of webhooks. */
export function Deliveries() {
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(
    trpc.operations.deliveries.infiniteQueryOptions({ limit: 50 }, {
      getNextPageParam: ({ next_cursor }: Page) => next_cursor ?? undefined,
    }),
  );
  const replay = (id: string) =>
    void handoff.api.operations.replay.mutate({ id }).then(() => sayDone(words.replayed), sayRefused)
      .finally(() => void queryClient.invalidateQueries({ queryKey: trpc.operations.deliveries.pathKey() }));
  return (
    <Section title={words.sections.deliveries} hint={words.deliveriesHint}>
      <Rows
        label={words.sections.deliveries}
        rows={data?.pages.flatMap((page) => page.deliveries)}
        error={error}
        keyOf={({ id }) => id}
      >
        {({ id, provider, delivery_id, outcome, received_at }) => (
          <>
            <RowText name={`${provider} ${delivery_id ?? ""}`}>{outcome}</RowText>
            <Time at={received_at} />
            <Button className="button" onPress={() => replay(id)}>{words.replay}</Button>
          </>
        )}
      </Rows>
      {hasNextPage && <Button className="button" onPress={() => void fetchNextPage()}>{words.more}</Button>}
    </Section>
  );
}
