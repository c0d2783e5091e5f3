import { useQuery } from "@tanstack/react-query";
import { meQuery } from "../data/me.ts";
import { useTitle } from "../app/title.tsx";
import { Section } from "../ui/section.tsx";
import { settings as words } from "../words/settings.ts";
import { CodeHosting } from "./code_hosting.tsx";
import { Keys } from "./keys.tsx";
import { Notifications } from "./notifications.tsx";
import { Password } from "./password.tsx";
import { Sessions } from "./sessions.tsx";

/** The settings that a person decides on for themselves. */
export function Settings() {
  useTitle(words.title);
  return (
    <main className="page" id="main" tabIndex={-1}>
      <h1>{words.title}</h1>
      <Profile />
      <Notifications />
      <Keys />
      <CodeHosting />
      <Password />
      <Sessions />
    </main>
  );
}

function Profile() {
  const { data: me } = useQuery(meQuery);
  return (
    <Section title={words.profile} hint={words.profileHint}>
      <dl className="fact-list">
        <dt>{words.name}</dt>
        <dd dir="auto">{me?.user.name}</dd>
        <dt>{words.email}</dt>
        <dd>{me?.user.email}</dd>
        <dt>{words.account}</dt>
        <dd dir="auto">{me?.account.name}</dd>
        <dt>{words.role}</dt>
        <dd>{me && words.roles[me.user.role]}</dd>
      </dl>
    </Section>
  );
}
