import { useState } from "react";
import type { Label } from "../api/types.ts";
import { named, Picker } from "../app/picker.tsx";
import { LabelDot } from "../ui/label_tag.tsx";
import type { Opened } from "../ui/menu.tsx";
import { labels as words } from "../words/project_settings.ts";

/** Chooses the label that another one is merged into. */
export default function LabelPicker(
  { labels, pick, ...opened }: Opened & { labels: Label[]; pick: (label: Label) => void },
) {
  const [typed, type] = useState("");
  return (
    <Picker
      {...opened}
      label={words.mergeInto}
      placeholder={words.mergeInto}
      typed={typed}
      type={type}
      chosen={new Set()}
      options={named(labels, typed).map(({ id, name, color }) => ({
        id,
        name,
        icon: <LabelDot color={color} />,
      }))}
      pick={(id) => pick(labels.find((label) => label.id === id)!)}
      empty={words.noSuch}
    />
  );
}
