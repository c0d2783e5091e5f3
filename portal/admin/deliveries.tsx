import { useInfiniteQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { deliveriesQuery, replayDelivery } from "../data/operations.ts";
import { Rows, RowText } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { admin as words } from "../words/admin.ts";

/** Shows the received deliveries of all senders of webhooks. */
export function Deliveries() {
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(deliveriesQuery);
  const replay = (id: string) => void replayDelivery(id).then(() => sayDone(words.replayed), sayRefused);
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
