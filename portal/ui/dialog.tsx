import type { ReactNode } from "react";
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { app } from "../words/app.ts";
import { Close } from "./icons.tsx";

interface Props {
  title: string;
  close: () => void;
  children: ReactNode;
  size?: "small" | "wide";
  /** False keeps the dialog open after a click beside it. Dialogs with typed text need that. */
  isDismissable?: boolean;
}

/** A dialog with a title and a button to close it. It is shown as long as it is rendered. */
export function Sheet({ title, close, children, size = "small", isDismissable = true }: Props) {
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(isOpen) => !isOpen && close()}
      isDismissable={isDismissable}
      className="overlay"
    >
      <Modal className={`modal ${size}`}>
        <Dialog className="dialog">
          <header className="dialog-head">
            <Heading slot="title">{title}</Heading>
            <Button slot="close" className="button quiet icon-only" aria-label={app.close}>
              <Close />
            </Button>
          </header>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
