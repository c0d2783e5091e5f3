import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { handoff, queryClient, trpc } from "../api/client.ts";
import type { ApiKey } from "../api/types.ts";
import { Confirm } from "../app/confirm.tsx";
import { Rows, RowText } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { settings as words } from "../words/settings.ts";
import { ConnectAgent } from "./connect_agent.tsx";
import { NewKey } from "./new_key.tsx";

/** The person's API keys. A new key is shown once, with the settings that connect an agent. */
export function Keys() {
  const { data, error } = useQuery(trpc.keys.list.queryOptions({ limit: 200 }));
  const [made, setMade] = useState<string | null>(null);
  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.keys.list.pathKey() });
  return (
    <Section title={words.keys} hint={words.keysHint}>
      <NewKey made={(key) => (setMade(key), void refresh())} />
      {made !== null && <ConnectAgent apiKey={made} />}
      <Rows label={words.keys} rows={data?.keys} error={error} keyOf={({ id }) => id} empty={words.noKeys}>
        {(key) => <Row apiKey={key} refresh={refresh} />}
      </Rows>
    </Section>
  );
}

function Row({ apiKey, refresh }: { apiKey: ApiKey; refresh: () => Promise<void> }) {
  const { id, name, prefix, scopes, last_used_at, expires_at, revoked_at } = apiKey;
  const revoke = async () => {
    await handoff.api.keys.revoke.mutate({ id });
    await refresh();
  };
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
          run={revoke}
        />
      )}
    </>
  );
}
