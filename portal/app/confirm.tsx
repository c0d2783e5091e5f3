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

interface AskFirstProps extends Pick<Props, "label" | "question"> {
  run: () => void;
  close: () => void;
}

/** The question before an action that can't be undone. It is shown as long as it is rendered. */
export function AskFirst({ label, question, run, close }: AskFirstProps) {
  return (
    <Sheet title={label} close={close}>
      <p className="dialog-text">{question}</p>
      <footer className="row dialog-foot">
        <Button className="button danger" onPress={() => (close(), run())} autoFocus>{label}</Button>
        <Button className="button" onPress={close}>{app.cancel}</Button>
      </footer>
    </Sheet>
  );
}

/** A button for an action that can't be undone. It asks first. */
export function Confirm({ label, question, run, done, isDisabled = false }: Props) {
  const [asks, setAsks] = useState(false);
  const close = () => setAsks(false);
  const go = () => void run().then(() => done && sayDone(done), (error: unknown) => sayRefused(error));
  return (
    <>
      <Button className="button danger" isDisabled={isDisabled} onPress={() => setAsks(true)}>{label}</Button>
      {asks && <AskFirst label={label} question={question} run={go} close={close} />}
    </>
  );
}
