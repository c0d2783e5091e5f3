import { useInfiniteQuery } from "@tanstack/react-query";
import { accountsQuery, createAccount } from "../data/accounts.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { PagedRows, RowText } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { admin as words } from "../words/admin.ts";

export function Accounts() {
  const accounts = useInfiniteQuery(accountsQuery);
  const create = ({ name = "", slug = "" }: Record<string, string>) => createAccount({ name, slug });
  return (
    <Section title={words.sections.accounts} hint={words.accountsHint}>
      <CallForm look="inline" submit={words.addAccount} send={create}>
        <Field name="name" label={words.accountName} isRequired />
        <Field name="slug" label={words.slug} isRequired />
      </CallForm>
      <PagedRows
        label={words.sections.accounts}
        of={accounts}
        rowsOf={(page) => page.accounts}
        keyOf={({ id }) => id}
      >
        {({ name, slug, created_at }) => (
          <>
            <RowText name={name}>{slug}</RowText>
            <Time at={created_at} />
          </>
        )}
      </PagedRows>
    </Section>
  );
}
