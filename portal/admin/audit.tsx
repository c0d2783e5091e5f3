import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components";
import { auditQuery } from "../data/accounts.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { Rows, RowText } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { admin as words } from "../words/admin.ts";

export function Audit() {
  const [action, setAction] = useState<string>();
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(auditQuery(action));
  return (
    <Section title={words.sections.audit} hint={words.auditHint}>
      <CallForm look="inline" submit={words.filter} send={({ action }) => Promise.resolve(setAction(action))}>
        <Field name="action" label={words.action} placeholder="session.started" />
      </CallForm>
      <Rows
        label={words.sections.audit}
        rows={data?.pages.flatMap((page) => page.audit)}
        error={error}
        keyOf={({ id }) => String(id)}
      >
        {({ action, actor, target_type, target_id, at }) => (
          <>
            <RowText name={action}>
              {String(actor.name ?? actor.id)}
              {target_type && ` · ${target_type} ${target_id}`}
            </RowText>
            <Time at={at} />
          </>
        )}
      </Rows>
      {hasNextPage && <Button className="button" onPress={() => void fetchNextPage()}>{words.more}</Button>}
    </Section>
  );
}
