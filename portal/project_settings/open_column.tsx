import { useState } from "react";
import type { BoardColumn, Project } from "../api/types.ts";
import { Confirm } from "../app/confirm.tsx";
import { sayDone, sayGone } from "../app/toasts.tsx";
import { deleteColumn, updateColumn } from "../data/columns.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { STAGES } from "../words/enums.ts";
import { columns as words } from "../words/project_settings.ts";

interface Props {
  project: Project;
  column: BoardColumn;
  /** All columns of the stage, in their order. */
  all: BoardColumn[];
  close: () => void;
}

/** The form of a column, and its deletion. */
export function OpenColumn({ project, column, all, close }: Props) {
  const path = { id: project.id, columnId: column.id };
  // A change by somebody else in between doesn't touch what is being typed.
  const [base, setBase] = useState(column);
  const refused = (error: unknown) => sayGone(error, close);
  const save = async ({ name = "", wip_limit }: Record<string, string>) => {
    const limit = limitOf(wip_limit);
    // Only what was changed is sent, so that somebody else's change of the rest stays.
    const changed = {
      ...(name !== base.name && { name }),
      ...(limit !== base.wip_limit && { wip_limit: limit }),
    };
    if (Object.keys(changed).length > 0) setBase(await updateColumn({ ...path, ...changed }).catch(refused));
    sayDone(words.saved);
  };
  const into = all.find(({ id }) => id !== column.id)?.name;
  return (
    <div className="row-more">
      <CallForm key={base.updated_at} submit={words.save} send={save}>
        <Field name="name" label={words.name} defaultValue={base.name} maxLength={40} isRequired />
        <LimitField value={base.wip_limit} />
      </CallForm>
      <div>
        <Confirm
          label={words.remove}
          question={words.removeQuestion(column.name, column.open_tickets, into, STAGES[column.stage])}
          done={words.removed}
          run={() => deleteColumn(path).finally(close)}
        />
      </div>
    </div>
  );
}

/** The limit of a column, which may be empty. */
export function LimitField({ value = null }: { value?: number | null }) {
  return (
    <Field
      name="wip_limit"
      label={words.limit}
      hint={words.limitHint}
      inputMode="numeric"
      defaultValue={value === null ? "" : String(value)}
      validate={(text) => /^([1-9]\d{0,2})?$/.test(text.trim()) ? null : words.badLimit}
    />
  );
}

export function limitOf(text: string | undefined): number | null {
  return text === undefined || text.trim() === "" ? null : Number(text);
}
