import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Button } from "react-aria-components";
import { codeOf, sentenceOf } from "../api/client.ts";
import type { Project, Suggestion } from "../api/types.ts";
import { useKeys } from "../app/keys.ts";
import { useProject } from "../app/project.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { useTitle } from "../app/title.tsx";
import {
  acceptSuggestion,
  analysisQuery,
  analyze as analyzing,
  dismissSuggestion,
  suggestionsQuery,
  undoSuggestion,
} from "../data/suggestions.ts";
import { Ghosts } from "../ui/ghosts.tsx";
import { Check, Close, Spark } from "../ui/icons.tsx";
import { Nothing } from "../ui/nothing.tsx";
import { Time } from "../ui/time.tsx";
import { suggestions as words } from "../words/waiting.ts";
import { Evidence } from "./evidence.tsx";
import type { Show } from "./routes.tsx";

const route = getRouteApi("/signed-in/$key/suggestions");

/**
 * Suggestions of the service, which a person decides one after the other, by buttons or by keys.
 */
export function Suggestions() {
  const project = useProject();
  useTitle(words.title, project.name);
  const { show = "pending" } = route.useSearch();
  const { data, error } = useQuery(suggestionsQuery(project.id, show));
  const { data: analysis } = useQuery(analysisQuery(project.id));
  const analyze = useMutation({
    ...analyzing(project.id),
    onSuccess: () => sayDone(words.analyzing),
    onError: (error) => sayRefused(error),
  });
  const rows = [...data?.suggestions ?? []].toSorted((one, other) => other.confidence - one.confidence);
  const acts = useActs(project);
  const cards = () => [...document.querySelectorAll<HTMLElement>("[data-suggestion]")];
  const place = () => cards().findIndex((card) => card.contains(document.activeElement));
  const step = (by: number) => {
    const all = cards();
    all[Math.min(all.length - 1, Math.max(0, place() + by))]?.focus();
  };
  const atRow = (act: (row: Suggestion) => void) => () => {
    const row = rows[Math.max(0, place())];
    if (!row) return;
    act(row);
    step(1);
  };
  const pending = (act: (row: Suggestion) => void) => atRow((row) => row.status === "pending" && act(row));
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    a: pending((row) => acts.accept(row)),
    d: pending(acts.dismiss),
  });
  const mayDecide = project.my_role !== "viewer";
  return (
    <main className="page" id="main" tabIndex={-1}>
      <header className="row">
        <h1>{words.title}</h1>
        <span className="space" />
        <nav className="row" aria-label={words.showLabel}>
          {(Object.keys(words.show) as Show[]).map((each) => (
            <Link
              key={each}
              to="/$key/suggestions"
              params={{ key: project.key }}
              search={each === "pending" ? {} : { show: each }}
              className={`button chip${each === show ? " on" : ""}`}
              aria-current={each === show ? "page" : undefined}
            >
              {words.show[each]}
            </Link>
          ))}
        </nav>
        {mayDecide && (
          <Button
            className="button"
            isPending={analyze.isPending}
            onPress={() => analyze.mutate()}
          >
            <Spark />
            {words.analyze}
          </Button>
        )}
      </header>
      <p className="hint">{words.hint} {analysis?.finished_at && <Time at={analysis.finished_at} />}</p>
      {error && <p role="alert" className="refusal">{sentenceOf(error)}</p>}
      {data && rows.length === 0 && <Nothing title={words.empty} hint={words.emptyHint} icon={<Spark />} />}
      {!data && !error && <Ghosts rows={2} tall />}
      <ol className="suggestions" aria-busy={!data}>
        {rows.map((row) => (
          <Card
            key={row.id}
            project={project}
            row={row}
            acts={acts}
            mayDecide={mayDecide}
          />
        ))}
      </ol>
    </main>
  );
}

function useActs(project: Project) {
  const onError = (error: unknown) => sayRefused(error);
  const undo = useMutation({
    ...undoSuggestion(project.id),
    onSuccess: (_, row: Suggestion) => sayDone(words.undone(row.title)),
    onError,
  });
  const accept = useMutation({
    ...acceptSuggestion(project.id),
    onSuccess: (_, { row }: Accepted) => sayDone(words.accepted(row.title), () => undo.mutate(row)),
    onError: (error, { row }) => {
      const skip = { label: words.skipRoles, run: () => accept.mutate(acceptedOf(row, true)) };
      sayRefused(error, codeOf(error) === "roles_incomplete" ? [skip] : undefined);
    },
  });
  const dismiss = useMutation({
    ...dismissSuggestion(project.id),
    onSuccess: (_, row: Suggestion) => sayDone(words.dismissed(row.title), () => undo.mutate(row)),
    onError,
  });
  return {
    accept: (row: Suggestion) => accept.mutate(acceptedOf(row)),
    dismiss: (row: Suggestion) => dismiss.mutate(row),
    undo: (row: Suggestion) => undo.mutate(row),
  };
}

type Accepted = ReturnType<typeof acceptedOf>;

function acceptedOf(row: Suggestion, skip_pending_roles = false) {
  return { row, id: row.id, skip_pending_roles };
}

interface CardProps {
  project: Project;
  row: Suggestion;
  acts: ReturnType<typeof useActs>;
  mayDecide: boolean;
}

function Card({ project, row, acts, mayDecide }: CardProps) {
  const { kind, status, title, rationale, confidence, created_at } = row;
  return (
    <li className="suggestion" data-suggestion={row.id} tabIndex={-1}>
      <header>
        <span className="tag">{words.kinds[kind]}</span>
        <b dir="auto">{title}</b>
        <span className="space" />
        <small>{words.confidence(confidence)}</small>
        <Time at={created_at} />
      </header>
      <p dir="auto">{rationale}</p>
      <Evidence project={project} suggestion={row} />
      {mayDecide && (
        <div className="row">
          {status === "pending"
            ? (
              <>
                <Button className="button approve" onPress={() => acts.accept(row)}>
                  <Check />
                  {words.accept}
                </Button>
                <Button className="button" onPress={() => acts.dismiss(row)}>
                  <Close />
                  {words.dismiss}
                </Button>
              </>
            )
            : status !== "expired" && (
              <Button className="button" onPress={() => acts.undo(row)}>{words.undo}</Button>
            )}
        </div>
      )}
    </li>
  );
}
