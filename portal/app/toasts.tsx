import {
  Button,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from "react-aria-components";
import { codeOf, sentenceOf } from "../api/client.ts";
import { Close } from "../ui/icons.tsx";
import { app } from "../words/app.ts";

interface Action {
  label: string;
  run: () => void;
}

interface Message {
  text: string;
  kind: "done" | "refused";
  /** Buttons that help, such as undo, or a link to the obstacle. */
  actions?: Action[] | undefined;
}

const queue = new ToastQueue<Message>({ maxVisibleToasts: 3 });
/** The changes that can be undone, the latest last. A change is there as long as its message. */
const undos = new Set<{ key: string; run: () => void }>();
/** Ends when every change is done that can be undone then. */
let underWay: Promise<unknown> = Promise.resolve();
/** The last message about something that is done step by step. */
let lastStep: { about: string; key: string } | null = null;

/**
 * Reports that something was done. If it can be undone, the message has a button for that, and the
 * key Z undoes it, too, before what was done earlier. A message about the same thing as the last one
 * takes its place.
 */
export function sayDone(text: string, takeBack?: () => void, about?: string): void {
  if (lastStep && lastStep.about === about) queue.close(lastStep.key);
  lastStep = null;
  if (!takeBack) return void queue.add({ text, kind: "done" }, { timeout: 6_000 });
  const undo = { key: "", run: takeBack };
  const actions = [{ label: app.undo, run: takeBack }];
  undo.key = queue.add({ text, kind: "done", actions }, {
    timeout: 10_000,
    onClose: () => undos.delete(undo),
  });
  undos.add(undo);
  if (about !== undefined) lastStep = { about, key: undo.key };
}

/**
 * Reports a refusal in the service's own sentence. The message stays until it is dismissed or its
 * time is over.
 */
export function sayRefused(reason: unknown, actions?: Action[]): void {
  const text = typeof reason === "string" ? reason : sentenceOf(reason);
  queue.add({ text, kind: "refused", actions }, { timeout: 15_000 });
}

/** Passes a refusal on. If it says that the thing is gone, a message says so, because the form goes, too. */
export function sayGone(error: unknown, close: () => void): never {
  if (codeOf(error) === "not_found") {
    sayRefused(error);
    close();
  }
  throw error;
}

/** Lets an undo wait for a change that the service hasn't answered yet, up to the message that it is done. */
export function undoable<T>(change: Promise<T>): Promise<T> {
  underWay = Promise.allSettled([underWay, change]);
  return change;
}

/**
 * Undoes the last change that isn't undone yet, as long as its message is there. A change that is under
 * way is the last one, and not what was done before it.
 */
export async function undoLast(): Promise<void> {
  await underWay;
  const last = [...undos].at(-1);
  if (!last) return;
  queue.close(last.key);
  last.run();
}

export function Toasts() {
  return (
    <ToastRegion queue={queue} className="toasts">
      {({ toast }) => (
        <Toast toast={toast} className={`toast ${toast.content.kind}`}>
          <ToastContent className="toast-text">
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          {toast.content.actions?.map(({ label, run }) => (
            <Button key={label} className="button quiet" onPress={() => (run(), queue.close(toast.key))}>
              {label}
            </Button>
          ))}
          <Button slot="close" className="button quiet icon-only" aria-label={app.dismiss}>
            <Close />
          </Button>
        </Toast>
      )}
    </ToastRegion>
  );
}
