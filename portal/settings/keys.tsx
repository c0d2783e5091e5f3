import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiKey } from "../api/types.ts";
import { Confirm } from "../app/confirm.tsx";
import { keysQuery, revokeKey } from "../data/keys.ts";
import { PagedRows, RowText } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { settings as words } from "../words/settings.ts";
import { ConnectAgent } from "./connect_agent.tsx";
import { NewKey } from "./new_key.tsx";

/** The person's API keys. A new key is shown once, with the settings that connect an agent. */
export function Keys() {
  const keys = useInfiniteQuery(keysQuery);
  const [made, setMade] = useState<string | null>(null);
  return (
    <Section title={words.keys} hint={words.keysHint}>
      <NewKey made={setMade} />
      {made !== null && <ConnectAgent apiKey={made} />}
      <PagedRows
        label={words.keys}
        of={keys}
        rowsOf={(page) => page.keys}
        keyOf={({ id }) => id}
        empty={words.noKeys}
      >
        {(key) => <Row apiKey={key} />}
      </PagedRows>
    </Section>
  );
}

function Row({ apiKey }: { apiKey: ApiKey }) {
  const { id, name, prefix, scopes, last_used_at, expires_at, revoked_at } = apiKey;
  return (
    <>
      <RowText name={name}>
        <code>{prefix}…</code> · {scopes.join(", ")} · {last_used_at
          ? (
            <>
              {words.lastUsed} <Time at={last_used_at} />
            </>
          )
          : words.neverUsed}
        {expires_at && (
          <>
            · {words.expires} <Time at={expires_at} />
          </>
        )}
      </RowText>
      {revoked_at ? <span className="tag">{words.revoked}</span> : (
        <Confirm
          label={words.revoke}
          question={words.revokeQuestion(name)}
          done={words.revokedNow}
          run={() => revokeKey(id)}
        />
      )}
    </>
  );
}
