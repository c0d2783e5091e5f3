import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button, Form } from "react-aria-components";
import { fieldErrorsOf, sentenceOf } from "../api/client.ts";
import { app } from "../words/app.ts";

interface Props {
  /** Makes the call with the form's values by name. It leaves out empty fields. */
  send: (values: Record<string, string>) => Promise<unknown>;
  submit: string;
  children: ReactNode;
  /** Runs after the service has done the call. */
  done?: () => void;
  /** Closes a form that is open only while it is filled in. */
  cancel?: () => void;
  look?: "inline" | "stacked";
}

/**
 * A form that makes one call. It shows the service's refusal, and the message for each field next
 * to that field. After a refusal the typed values stay.
 */
export function CallForm({ send, submit, children, done, cancel, look = "stacked" }: Props) {
  const call = useMutation({ mutationFn: ({ values }: Submission) => send(values) });
  return (
    <Form
      className={`call-form ${look}`}
      validationErrors={fieldErrorsOf(call.error)}
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        call.mutate({ values: valuesOf(form) }, {
          onSuccess: () => {
            form.reset();
            done?.();
          },
        });
      }}
    >
      {call.error && <p role="alert" className="refusal">{sentenceOf(call.error)}</p>}
      {children}
      <Button type="submit" className="button primary" isPending={call.isPending}>{submit}</Button>
      {cancel && <Button className="button quiet" onPress={cancel}>{app.cancel}</Button>}
    </Form>
  );
}

interface Submission {
  values: Record<string, string>;
}

function valuesOf(form: HTMLFormElement): Record<string, string> {
  const filled = [...new FormData(form)].filter(([, value]) => typeof value === "string" && value !== "");
  return Object.fromEntries(filled) as Record<string, string>;
}
