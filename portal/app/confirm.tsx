import { useState } from "react";
import { Button } from "react-aria-components";
import { sayDone, sayRefused } from "./toasts.tsx";
import { app } from "../words/app.ts";
import { Sheet } from "../ui/dialog.tsx";

interface Props {
  label: string;
  /** A question that says what will happen. */
  question: string;
  run: () => Promise<unknown>;
  done?: string;
  isDisabled?: boolean;
}

/** A button for an action that can't be undone. It asks first. */
export function Confirm({ label, question, run, done, isDisabled = false }: Props) {
  const [asks, setAsks] = useState(false);
  const close = () => setAsks(false);
  const go = () => {
    close();
    void run().then(() => done && sayDone(done), (error: unknown) => sayRefused(error));
  };
  return (
    <>
      <Button className="button danger" isDisabled={isDisabled} onPress={() => setAsks(true)}>{label}</Button>
      {asks && (
        <Sheet title={label} close={close}>
          <p className="dialog-text">{question}</p>
          <footer className="row dialog-foot">
            <Button className="button danger" onPress={go} autoFocus>{label}</Button>
            <Button className="button" onPress={close}>{app.cancel}</Button>
          </footer>
        </Sheet>
      )}
    </>
  );
}
