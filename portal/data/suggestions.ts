import { handoff, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import { projectChange } from "./changing.ts";

export function suggestionsQuery(project: string, status: Inputs["suggestions"]["list"]["status"]) {
  return trpc.suggestions.list.queryOptions({ id: project, status, limit: 100 });
}

export const analysisQuery = (project: string) => trpc.suggestions.analysis.queryOptions({ id: project });

export function analyze(project: string) {
  return projectChange(project, () => handoff.api.suggestions.analyze.mutate({ id: project }));
}

export function acceptSuggestion(project: string) {
  return projectChange(
    project,
    ({ id, skip_pending_roles }: { id: string; skip_pending_roles: boolean }) =>
      handoff.api.suggestions.accept.mutate({ id: project, suggestionId: id, skip_pending_roles }),
  );
}

export function dismissSuggestion(project: string) {
  return projectChange(
    project,
    ({ id }: { id: string }) => handoff.api.suggestions.dismiss.mutate({ id: project, suggestionId: id }),
  );
}

export function undoSuggestion(project: string) {
  return projectChange(
    project,
    ({ id }: { id: string }) => handoff.api.suggestions.undo.mutate({ id: project, suggestionId: id }),
  );
}
