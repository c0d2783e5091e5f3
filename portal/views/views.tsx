import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Button } from "react-aria-components";
import type { View } from "../api/types.ts";
import { useProjects } from "../app/project.ts";
import { useTitle } from "../app/title.tsx";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { addressOf } from "../app/view_address.ts";
import { meQuery } from "../data/me.ts";
import { lastPlace, updateView, viewsQuery } from "../data/views.ts";
import { Rows, RowText } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { views as words } from "../words/views.ts";

/** All views that a person reads: their own and those that others share. */
export function Views() {
  useTitle(words.title);
  const { data, error } = useQuery(viewsQuery);
  const { data: me } = useQuery(meQuery);
  const own = data?.views.filter(({ owner_user_id }) => owner_user_id === me?.user.id);
  const others = data?.views.filter(({ owner_user_id }) => owner_user_id !== me?.user.id) ?? [];
  const row = (view: View) => <Row view={view} views={data?.views ?? []} />;
  return (
    <main className="page" id="main" tabIndex={-1}>
      <header>
        <h1>{words.title}</h1>
        <p className="hint">{words.hint}</p>
      </header>
      <Section title={words.own}>
        <Rows label={words.own} rows={own} error={error} keyOf={({ id }) => id} empty={words.none}>
          {row}
        </Rows>
      </Section>
      {others.length > 0 && (
        <Section title={words.ofOthers}>
          <Rows label={words.ofOthers} rows={others} error={null} keyOf={({ id }) => id}>{row}</Rows>
        </Section>
      )}
    </main>
  );
}

function Row({ view, views }: { view: View; views: readonly View[] }) {
  const { id: viewId, name, query, place, shared, project_id } = view;
  const project = useProjects()?.find(({ id }) => id === project_id);
  const isPinned = place !== null;
  const turn = () =>
    void updateView({ viewId, place: isPinned ? null : lastPlace(views) })
      .then(() => sayDone(isPinned ? words.unpinned : words.pinned), sayRefused);
  return (
    <>
      <RowText name={<Link {...addressOf(view, project)}>{name}</Link>}>
        {[project?.name ?? words.allProjects, query].filter((text) => text !== "").join(" · ")}
      </RowText>
      {shared && <span className="tag">{words.sharedTag}</span>}
      <Button
        className="button"
        aria-label={isPinned ? words.unpinOf(name) : words.pinOf(name)}
        onPress={turn}
      >
        {isPinned ? words.unpin : words.pin}
      </Button>
    </>
  );
}
