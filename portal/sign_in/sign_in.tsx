import { useMutation } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Button, Form } from "react-aria-components";
import { fieldErrorsOf, handoff, sentenceOf } from "../api/client.ts";
import { useTitle } from "../app/title.tsx";
import { Field } from "../ui/field.tsx";
import { app } from "../words/app.ts";
import { signIn as words } from "../words/sign_in.ts";
import { ownAddress } from "./next.ts";

const route = getRouteApi("/sign-in");

export function SignIn() {
  useTitle(words.title);
  const { next } = route.useSearch();
  const signIn = useMutation({
    mutationFn: (input: { email: string; password: string }) => handoff.signIn(input),
    // The page is reloaded, so that no data of an earlier user is left.
    onSuccess: () => location.assign(ownAddress(next, location.origin) ?? "/"),
  });
  const send = (form: HTMLFormElement) => {
    const { email, password } = Object.fromEntries(new FormData(form)) as { email: string; password: string };
    signIn.mutate({ email, password });
  };
  return (
    <main className="centered" id="main">
      <Form
        className="card-form"
        validationErrors={fieldErrorsOf(signIn.error)}
        onSubmit={(event) => {
          event.preventDefault();
          send(event.currentTarget);
        }}
      >
        <p className="brand">
          <span className="mark" aria-hidden="true" />
          {app.name}
        </p>
        <h1>{words.title}</h1>
        {signIn.error && <p role="alert" className="refusal">{sentenceOf(signIn.error)}</p>}
        <Field name="email" type="email" label={words.email} isRequired autoComplete="username" autoFocus />
        <Field
          name="password"
          type="password"
          label={words.password}
          hint={words.forgotten}
          isRequired
          autoComplete="current-password"
        />
        <Button type="submit" className="button primary" isPending={signIn.isPending}>
          {signIn.isPending ? words.pending : words.submit}
        </Button>
      </Form>
    </main>
  );
}
