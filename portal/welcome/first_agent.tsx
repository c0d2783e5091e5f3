import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Project } from "../api/types.ts";
import { createKey, newestKeysQuery } from "../data/keys.ts";
import { ConnectAgent } from "../settings/connect_agent.tsx";
import { USUAL_SCOPES } from "../settings/new_key.tsx";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { Copyable } from "../ui/secret.tsx";
import { welcome as words } from "../words/welcome.ts";

interface Props {
  project: Project;
  ticketRef: string;
}

/** A key for the agent, the settings that connect it, and a prompt for it. */
export function FirstAgent({ project, ticketRef }: Props) {
  const [made, setMade] = useState<{ id: string; key: string } | null>(null);
  const create = async ({ name = "" }: Record<string, string>) =>
    setMade(
      await createKey({ name, scopes: [...USUAL_SCOPES], project_id: project.id }),
    );
  if (!made) {
    return (
      <CallForm look="inline" submit={words.createKey} send={create}>
        <Field
          name="name"
          label={words.keyName}
          defaultValue={words.keyNameDefault}
          maxLength={120}
          isRequired
          autoFocus
        />
      </CallForm>
    );
  }
  return (
    <>
      <ConnectAgent apiKey={made.key} />
      <Copyable label={words.say} text={words.prompt(ticketRef)} />
      <FirstCall keyId={made.id} />
    </>
  );
}

/** The milliseconds until the key is read again, because the first use of a key is no event. */
const AGAIN_MS = 2_000;

function FirstCall({ keyId }: { keyId: string }) {
  const { data: isUsed = false } = useQuery({
    ...newestKeysQuery,
    select: ({ keys }) => keys.some(({ id, last_used_at }) => id === keyId && last_used_at !== null),
    refetchInterval: ({ state }) =>
      state.data?.keys.some(({ id, last_used_at }) => id === keyId && last_used_at !== null)
        ? false
        : AGAIN_MS,
  });
  return (
    <p role="status" className={isUsed ? "connected" : "hint"}>{isUsed ? words.isConnected : words.waits}</p>
  );
}
