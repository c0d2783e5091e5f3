import { useState } from "react";
import { Switch, Text } from "react-aria-components";
import { Sheet } from "../ui/dialog.tsx";
import { keys } from "../words/app.ts";
import { areSingleKeysOn, setSingleKeys } from "./keys.ts";

export default function ShortcutSheet({ close }: { close: () => void }) {
  const [isOn, setOn] = useState(areSingleKeysOn);
  return (
    <Sheet title={keys.title} close={close}>
      {keys.groups.map(({ name, lines }) => (
        <section key={name}>
          <h3>{name}</h3>
          <dl className="keys">
            {lines.map(([combination, what]) => (
              <div key={what}>
                <dt>{combination!.split(" ").map((part) => <kbd key={part}>{part}</kbd>)}</dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <Switch className="switch" isSelected={isOn} onChange={(on) => (setOn(on), setSingleKeys(on))}>
        <span className="track" />
        <span>
          <Text>{keys.single}</Text>
          <small>{keys.singleHint}</small>
        </span>
      </Switch>
    </Sheet>
  );
}
