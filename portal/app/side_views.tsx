import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { pinnedOf, viewCountsQuery, viewsQuery } from "../data/views.ts";
import { View as ViewIcon } from "../ui/icons.tsx";
import { views as words } from "../words/views.ts";
import { useProjects } from "./project.ts";
import { addressOf } from "./view_address.ts";

/** The person's views in the navigation, with the number of open tickets of each. */
export function SideViews() {
  const { data } = useQuery(viewsQuery);
  const projects = useProjects();
  const { view: shown } = useSearch({ strict: false }) as { view?: string };
  const pinned = pinnedOf(data?.views ?? []);
  const counts = useViewCounts(pinned);
  return (
    <section className="side-views" aria-labelledby="side-views">
      <h2 id="side-views">
        <Link to="/views">{words.title}</Link>
      </h2>
      <ul>
        {pinned.map((view) => {
          const project = projects?.find(({ id }) => id === view.project_id);
          const count = counts.get(view.id);
          return (
            <li key={view.id}>
              <Link
                {...addressOf(view, project)}
                activeProps={{}}
                aria-current={view.id === shown ? "page" : undefined}
                title={project ? `${view.name} · ${project.name}` : view.name}
              >
                <ViewIcon />
                <span className="clip" dir="auto">{view.name}</span>
                {count !== undefined && (
                  <span className="count">
                    <span aria-hidden="true">{count}</span>
                    <span className="hidden">{words.count(count)}</span>
                  </span>
                )}
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The counts of the views, as far as a view is of one project. */
function useViewCounts(views: ReturnType<typeof pinnedOf>): ReadonlyMap<string, number> {
  const ofProject = Map.groupBy(views, ({ project_id }) => project_id);
  ofProject.delete(null);
  const answers = useQueries({
    queries: Array.from(ofProject, ([project, views]) => ({
      ...viewCountsQuery(project!, views),
      placeholderData: keepPreviousData,
    })),
  });
  return new Map(answers.flatMap(({ data }) => [...data ?? []]));
}
