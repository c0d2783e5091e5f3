import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button } from "react-aria-components";
import type { Project } from "../api/types.ts";
import { Plus } from "../ui/icons.tsx";
import { app } from "../words/app.ts";
import { board } from "../words/board.ts";
import { FilterBar } from "./filter_bar.tsx";
import type { Filters } from "./filters.ts";

interface Props {
  project: Project;
  filters: Filters;
  change: (next: Filters) => void;
  withStage?: boolean;
  /** Further parts, behind the buttons of the filter. */
  children?: ReactNode;
}

/** The bar above the board and the list. */
export function ProjectBar({ project, filters, change, withStage = false, children }: Props) {
  const navigate = useNavigate();
  return (
    <header className="bar of-project">
      <h1>{project.name}</h1>
      <FilterBar project={project} filters={filters} change={change} withStage={withStage}>
        {children}
      </FilterBar>
      {project.my_role === "viewer" && (
        <span className="tag" title={app.viewer(project.name)}>{board.viewer}</span>
      )}
      {project.my_role !== "viewer" && (
        <Button
          className="button primary"
          onPress={() =>
            void navigate({ to: ".", search: (old: object) => ({ ...old, create: true as const }) })}
        >
          <Plus />
          <span>{board.newTicket}</span>
        </Button>
      )}
    </header>
  );
}
