import { Suspense, useState } from "react";
import { part } from "../api/load.ts";
import type { Label, Project } from "../api/types.ts";
import { AskFirst, Confirm } from "../app/confirm.tsx";
import { sayDone, sayGone, sayRefused } from "../app/toasts.tsx";
import { deleteLabel, mergeLabel, updateLabel } from "../data/labels.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { Opener } from "../ui/menu.tsx";
import { labels as words } from "../words/project_settings.ts";

const LabelPicker = part(async () => (await import("./label_picker.tsx")).default);

interface Props {
  project: Project;
  label: Label;
  /** All labels of the project. */
  all: Label[];
  close: () => void;
}

/** The form of a label, and what can be done to all of its tickets. */
export function OpenLabel({ project, label, all, close }: Props) {
  const path = { id: project.id, labelId: label.id };
  // A change by somebody else in between doesn't touch what is being typed.
  const [base, setBase] = useState(label);
  const [into, setInto] = useState<Label | null>(null);
  const refused = (error: unknown) => sayGone(error, close);
  const save = async (fields: Record<string, string>) => {
    const { name = "", color = "", description = "" } = fields;
    // Only what was changed is sent, so that somebody else's change of the rest stays.
    const changed = Object.entries({ name, color, description }).filter(([field, value]) =>
      value !== base[field as "name" | "color" | "description"]
    );
    if (changed.length > 0) {
      setBase(await updateLabel({ ...path, ...Object.fromEntries(changed) }).catch(refused));
    }
    sayDone(words.saved);
  };
  const merge = (target: Label) =>
    void mergeLabel({ ...path, into: target.id }).then(
      () => (close(), sayDone(words.merged(label.name, target.name))),
      sayRefused,
    );
  return (
    <div className="row-more">
      <CallForm key={base.updated_at} submit={words.save} send={save}>
        <Field name="name" label={words.name} defaultValue={base.name} maxLength={50} isRequired />
        <Field
          name="description"
          label={words.description}
          defaultValue={base.description}
          maxLength={200}
        />
        <label className="color-field">
          {words.color}
          <input type="color" name="color" defaultValue={base.color} />
        </label>
      </CallForm>
      <div className="row">
        {all.length > 1 && (
          <Opener
            className="button"
            opened={(opened) => (
              <Suspense>
                <LabelPicker
                  {...opened}
                  labels={all.filter(({ id }) => id !== label.id)}
                  pick={setInto}
                />
              </Suspense>
            )}
          >
            {words.merge}
          </Opener>
        )}
        <Confirm
          label={words.remove}
          question={words.removeQuestion(label.name)}
          done={words.removed}
          run={() => deleteLabel(path).finally(close)}
        />
      </div>
      {into && (
        <AskFirst
          label={words.mergeTitle}
          question={words.mergeQuestion(label.name, into.name)}
          run={() => merge(into)}
          close={() => setInto(null)}
        />
      )}
    </div>
  );
}
