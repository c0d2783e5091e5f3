import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components";
import type { Member, Project } from "../api/types.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { Confirm } from "../app/confirm.tsx";
import { PersonChooser } from "../app/person_chooser.tsx";
import { candidatesQuery, membersQuery, putMember, removeMember } from "../data/projects.ts";
import { Rows, RowText } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { Choice } from "../ui/menu.tsx";
import { projectSettings as words } from "../words/project_settings.ts";

type Role = Member["role"];

/** More than these are found by typing more of the name. */
const MOST_FOUND = 8;

interface Props {
  project: Project;
}

export function Members({ project }: Props) {
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(membersQuery(project.id));
  const members = data?.pages.flatMap((page) => page.members);
  const put = async (userId: string, role: Role) => {
    await putMember({ id: project.id, userId, role });
  };
  return (
    <Section title={words.members} hint={words.membersHint}>
      <Rows
        label={words.members}
        rows={members}
        error={error}
        keyOf={({ user_id }) => user_id}
        empty={words.noMembers}
      >
        {({ user_id, name, email, role }) => (
          <>
            <RowText name={name}>{email}</RowText>
            <Choice
              label={`${words.role}: ${name}`}
              words={words.roles}
              value={role}
              onChange={(chosen) => chosen && void put(user_id, chosen).catch(sayRefused)}
            />
            <Confirm
              label={words.remove}
              question={words.removeQuestion(name)}
              done={words.removed}
              run={() => removeMember({ id: project.id, userId: user_id })}
            />
          </>
        )}
      </Rows>
      {hasNextPage && (
        <Button className="button" onPress={() => void fetchNextPage()}>{words.moreMembers}</Button>
      )}
      <AddMember project={project} put={put} />
    </Section>
  );
}

/** Finds people of the account who are not in the project yet, and adds one of them. */
function AddMember({ project, put }: Props & { put: (userId: string, role: Role) => Promise<void> }) {
  const [typed, type] = useState("");
  const q = typed.trim();
  const { data, isPending } = useQuery({
    ...candidatesQuery(project.id, q, MOST_FOUND),
    enabled: q !== "",
    placeholderData: keepPreviousData,
  });
  const [role, setRole] = useState<Role>("member");
  const add = (person: string) =>
    void put(person, role).then(() => (type(""), sayDone(words.saved)), sayRefused);
  return (
    <>
      <div className="row">
        <span className="label">{words.newRole}</span>
        <Choice
          label={words.role}
          words={words.roles}
          value={role}
          onChange={(chosen) => chosen && setRole(chosen)}
        />
      </div>
      <PersonChooser
        label={words.findPerson}
        act={words.addMember}
        typed={typed}
        type={type}
        found={q ? data?.candidates ?? [] : []}
        hasMore={q !== "" && (data?.next_cursor ?? null) !== null}
        isPending={isPending}
        choose={add}
      />
    </>
  );
}
