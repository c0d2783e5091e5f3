import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components";
import type { User } from "../api/types.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { CallForm } from "../ui/call_form.tsx";
import { Confirm } from "../app/confirm.tsx";
import { createUser, inviteUser, updateUser, usersQuery } from "../data/users.ts";
import { Field } from "../ui/field.tsx";
import { Pencil } from "../ui/icons.tsx";
import { Rows, RowText } from "../ui/rows.tsx";
import { Copyable } from "../ui/secret.tsx";
import { Section } from "../ui/section.tsx";
import { Choice } from "../ui/menu.tsx";
import { admin as words } from "../words/admin.ts";
import { app, people } from "../words/app.ts";

export function Users() {
  const [typed, type] = useState("");
  const q = typed.trim();
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...usersQuery(q),
    placeholderData: keepPreviousData,
  });
  const [invite, setInvite] = useState<string | null>(null);
  return (
    <Section title={words.people} hint={words.peopleHint}>
      <NewUser made={setInvite} />
      {invite && <Copyable label={words.inviteLink} text={invite} />}
      <Field label={words.findUser} value={typed} onChange={type} autoComplete="off" />
      <Rows
        label={words.people}
        rows={data?.pages.flatMap((page) => page.users)}
        error={error}
        keyOf={({ id }) => id}
        empty={people.nobody}
      >
        {(user) => <Row user={user} showInvite={setInvite} />}
      </Rows>
      {hasNextPage && (
        <Button className="button" onPress={() => void fetchNextPage()}>{words.moreUsers}</Button>
      )}
    </Section>
  );
}

function NewUser({ made }: { made: (inviteUrl: string | null) => void }) {
  const [kind, setKind] = useState<User["kind"]>("human");
  const [role, setRole] = useState<User["role"]>("member");
  const create = async ({ name = "", email = "" }: Record<string, string>) => {
    const { invite_url } = await createUser({ name, email, kind, role });
    made(invite_url);
  };
  return (
    <CallForm look="inline" submit={words.addUser} send={create}>
      <Field name="name" label={words.name} maxLength={120} isRequired />
      <Field name="email" type="email" label={words.email} isRequired />
      <Choice label={words.kind} words={words.kinds} value={kind} onChange={(to) => to && setKind(to)} />
      <Choice label={words.role} words={words.userRoles} value={role} onChange={(to) => to && setRole(to)} />
    </CallForm>
  );
}

function Row({ user, showInvite }: { user: User; showInvite: (url: string) => void }) {
  const { id, name, email, kind, role, deactivated_at } = user;
  const [isRenaming, setRenaming] = useState(false);
  const update = (changes: { name?: string; role?: User["role"]; deactivated?: boolean }) =>
    updateUser({ id, ...changes });
  const invite = () => void inviteUser(id).then(({ invite_url }) => showInvite(invite_url), sayRefused);
  const change = (to: User["role"] | undefined) =>
    to && void update({ role: to }).then(() => sayDone(words.done), sayRefused);
  if (isRenaming) {
    return (
      <CallForm
        look="inline"
        submit={app.save}
        send={({ name = "" }) => update({ name })}
        done={() => (setRenaming(false), sayDone(words.done))}
        cancel={() => setRenaming(false)}
      >
        <Field name="name" label={words.name} defaultValue={name} maxLength={120} isRequired autoFocus />
      </CallForm>
    );
  }
  return (
    <>
      <RowText name={name}>{email} · {words.kinds[kind]}</RowText>
      <Button
        className="button quiet icon-only"
        aria-label={words.rename(name)}
        onPress={() => setRenaming(true)}
      >
        <Pencil />
      </Button>
      {deactivated_at
        ? (
          <>
            <span className="tag">{words.deactivated}</span>
            <Button className="button" onPress={() => void update({ deactivated: false }).catch(sayRefused)}>
              {words.reactivate}
            </Button>
          </>
        )
        : (
          <>
            <Choice label={`${words.role}: ${name}`} words={words.userRoles} value={role} onChange={change} />
            {kind === "human" && <Button className="button" onPress={invite}>{words.newInvite}</Button>}
            <Confirm
              label={words.deactivate}
              question={words.deactivateQuestion(name)}
              done={words.done}
              run={() => update({ deactivated: true })}
            />
          </>
        )}
    </>
  );
}
