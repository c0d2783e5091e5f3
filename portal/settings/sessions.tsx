import { useInfiniteQuery } from "@tanstack/react-query";
import { Confirm } from "../app/confirm.tsx";
import { endSession, sessionsQuery } from "../data/sessions.ts";
import { PagedRows, RowText } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { settings as words } from "../words/settings.ts";

export function Sessions() {
  const sessions = useInfiniteQuery(sessionsQuery);
  return (
    <Section title={words.sessions} hint={words.sessionsHint}>
      <PagedRows
        label={words.sessions}
        of={sessions}
        rowsOf={(page) => page.sessions}
        keyOf={({ id }) => id}
      >
        {({ id, user_agent, address, last_used_at, current }) => (
          <>
            <RowText name={user_agent ?? words.unknownBrowser}>
              {address} · {words.lastUsed} <Time at={last_used_at} />
            </RowText>
            {current ? <span className="tag">{words.thisSession}</span> : (
              <Confirm
                label={words.end}
                question={words.endQuestion}
                done={words.ended}
                run={() => endSession(id)}
              />
            )}
          </>
        )}
      </PagedRows>
    </Section>
  );
}
