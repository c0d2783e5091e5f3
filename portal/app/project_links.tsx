import { Link } from "@tanstack/react-router";
import { Board, Flag, Gear, List, Spark } from "../ui/icons.tsx";
import { app } from "../words/app.ts";

const PROJECT_LINKS = [
  { to: "/$key/board", label: app.board, Icon: Board },
  { to: "/$key/list", label: app.list, Icon: List },
  { to: "/$key/milestones", label: app.milestones, Icon: Flag },
  { to: "/$key/suggestions", label: app.suggestions, Icon: Spark },
  { to: "/$key/settings", label: app.settings, Icon: Gear },
] as const;

/** The screens of a project. Filters stay between the board and the list. */
export function ProjectLinks({ projectKey, className }: { projectKey: string; className: string }) {
  return (
    <ul className={className}>
      {PROJECT_LINKS.map(({ to, label, Icon }) => (
        <li key={to}>
          <Link
            to={to as string}
            params={{ key: projectKey } as never}
            search={keepFilters as never}
            activeOptions={{ includeSearch: false }}
            activeProps={{ "aria-current": "page" }}
          >
            <Icon />
            <span>{label}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The search of the same project's next screen: the filters, without the open ticket or dialog. */
export function keepFilters(search: Record<string, unknown>): Record<string, unknown> {
  const { ticket: _, create: __, show: ___, ...filters } = search;
  return filters;
}
