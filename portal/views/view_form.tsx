import { useQuery } from "@tanstack/react-query";
import { Checkbox } from "react-aria-components";
import type { Project, View } from "../api/types.ts";
import { meQuery } from "../data/me.ts";
import { viewsQuery } from "../data/views.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Sheet } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { problemOf } from "../ui/lengths.ts";
import { app } from "../words/app.ts";
import { views as words } from "../words/views.ts";

export interface ViewValues {
  name: string;
  isShared: boolean;
  isPinned: boolean;
}

interface Props {
  title: string;
  project: Project | null;
  /** The view that gets another name. Without it, the form is for a new one. */
  renamed?: View | undefined;
  send: (values: ViewValues) => Promise<unknown>;
  close: () => void;
}

/** Asks for the name of a view. What was typed stays after a refusal. */
export function ViewForm({ title, project, renamed, send, close }: Props) {
  const { data } = useQuery(viewsQuery);
  const { data: me } = useQuery(meQuery);
  const owner = renamed?.owner_user_id ?? me?.user.id;
  const place = renamed ? renamed.project_id : project?.id ?? null;
  const taken =
    data?.views.filter((view) =>
      view.owner_user_id === owner && view.project_id === place && view.id !== renamed?.id
    ).map(({ name }) => name.toLowerCase()) ?? [];
  const mayShare = project !== null && project.my_role !== "viewer";
  return (
    <Sheet title={title} close={close} isDismissable={false}>
      <CallForm
        submit={renamed ? app.save : words.save}
        send={async ({ name = "", shared, pinned }) => {
          await send({ name: name.trim(), isShared: shared !== undefined, isPinned: pinned !== undefined });
          close();
        }}
        cancel={close}
      >
        <Field
          name="name"
          label={words.name}
          defaultValue={renamed?.name ?? ""}
          isRequired
          autoFocus
          validate={(text) =>
            problemOf(text, { isRequired: true, maxLength: 80 }) ??
              (taken.includes(text.trim().toLowerCase()) ? words.sameName : null)}
        />
        {!renamed && mayShare && (
          <Checkbox name="shared" className="check">
            <span className="box" />
            <span>{words.shareWith(project.name)}</span>
          </Checkbox>
        )}
        {!renamed && (
          <Checkbox name="pinned" className="check" defaultSelected>
            <span className="box" />
            <span>{words.inSidebar}</span>
          </Checkbox>
        )}
        {!renamed && project === null && <p className="hint">{words.onlyYours}</p>}
      </CallForm>
    </Sheet>
  );
}
