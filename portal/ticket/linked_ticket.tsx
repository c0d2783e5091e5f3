import { Link } from "@tanstack/react-router";
import type { Project, Stage } from "../api/types.ts";
import { StageIcon } from "../ui/icons.tsx";
import { STAGES } from "../words/enums.ts";

interface Props {
  project: Project;
  ticket: {
    project_id: string;
    ticket_ref: string;
    title: string;
    stage: Stage;
    status: "open" | "closed";
  };
}

/** Another ticket with its stage and title. The title of a closed one is struck through. */
export function LinkedTicket({ project, ticket }: Props) {
  const { project_id, ticket_ref: ref, title, stage, status } = ticket;
  const text = (
    <>
      <span className="ref">{ref}</span>
      <span className={status === "closed" ? "clip closed" : "clip"} dir="auto">{title}</span>
    </>
  );
  return (
    <span className="linked">
      <span title={STAGES[stage]}>
        <StageIcon stage={stage} />
        <span className="hidden">{STAGES[stage]}</span>
      </span>
      {project_id === project.id
        ? <Link to="." search={(old: object) => ({ ...old, ticket: ref })}>{text}</Link>
        : <Link to="/$key/tickets/$ref" params={{ key: ref.split("-")[0]!, ref }}>{text}</Link>}
    </span>
  );
}
