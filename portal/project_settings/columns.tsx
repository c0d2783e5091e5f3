import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Button } from "react-aria-components";
import type { BoardColumn, Project } from "../api/types.ts";
import { writeName } from "../app/filter_text.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { columnsQuery, createColumn, reorderColumns } from "../data/columns.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { Down, StageIcon, Up } from "../ui/icons.tsx";
import { Choice } from "../ui/menu.tsx";
import { Rows, withOpen } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { overLimit } from "../words/board.ts";
import { STAGES } from "../words/enums.ts";
import { columns as words } from "../words/project_settings.ts";
import { LimitField, limitOf, OpenColumn } from "./open_column.tsx";

type OpenStage = BoardColumn["stage"];
const { live: _, ...OPEN_STAGES } = STAGES;

/** The columns of a project's stages. Admins of the project decide on them, and everybody sees them. */
export function Columns({ project }: { project: Project }) {
  const { data, error } = useQuery(columnsQuery(project.id));
  const [open, setOpen] = useState<BoardColumn | null>(null);
  const columns = withOpen(data?.columns, open);
  const mayChange = project.my_role === "admin";
  return (
    <Section title={words.title} hint={words.hint}>
      {(Object.keys(OPEN_STAGES) as OpenStage[]).map((stage) => (
        <div key={stage} className="stage-columns">
          <h3>
            <StageIcon stage={stage} />
            {STAGES[stage]}
          </h3>
          <Rows
            label={STAGES[stage]}
            rows={columns?.filter((column) => column.stage === stage)}
            error={error}
            keyOf={({ id }) => id}
            empty={words.one}
          >
            {(column) => (
              <Row
                project={project}
                column={column}
                all={data!.columns.filter((each) => each.stage === stage)}
                mayChange={mayChange}
                isOpen={open?.id === column.id}
                open={(isOpen) => setOpen(isOpen ? column : null)}
              />
            )}
          </Rows>
        </div>
      ))}
      {mayChange && <NewColumn project={project} />}
    </Section>
  );
}

interface RowProps {
  project: Project;
  column: BoardColumn;
  /** All columns of the stage, in their order. */
  all: BoardColumn[];
  mayChange: boolean;
  isOpen: boolean;
  open: (isOpen: boolean) => void;
}

function Row({ project, column, all, mayChange, isOpen, open }: RowProps) {
  const { name, stage, open_tickets: tickets, wip_limit: limit, over_limit: isOver } = column;
  const at = all.indexOf(column);
  const move = (by: number) => {
    const ids = all.map(({ id }) => id);
    if (!all[at + by]) return;
    const column_ids = ids.toSpliced(at, 1).toSpliced(at + by, 0, column.id);
    void reorderColumns({ id: project.id, stage, column_ids }).then(
      () => sayDone(words.moved(name, at + by + 1, all.length)),
      sayRefused,
    );
  };
  return (
    <>
      <span className="row-text">
        <b dir="auto">{name}</b>
      </span>
      <Link
        className={`count-link${isOver ? " late" : ""}`}
        to="/$key/list"
        params={{ key: project.key }}
        search={{ q: `column:${writeName(name)} stage:${stage}` }}
        title={words.show(name)}
      >
        {limit === null ? words.tickets(tickets) : overLimit(tickets, limit)}
      </Link>
      {mayChange && (
        <>
          <Step label={words.up(name)} isEnd={at === 0} press={() => move(-1)} icon={<Up />} />
          <Step
            label={words.down(name)}
            isEnd={at === all.length - 1}
            press={() => move(1)}
            icon={<Down />}
          />
          <Button
            className="button"
            aria-expanded={isOpen}
            aria-label={words.changeOf(name)}
            onPress={() => open(!isOpen)}
          >
            {words.change}
          </Button>
        </>
      )}
      {isOpen && mayChange && (
        <OpenColumn
          project={project}
          column={column}
          all={all}
          close={() => open(false)}
        />
      )}
    </>
  );
}

interface StepProps {
  label: string;
  isEnd: boolean;
  press: () => void;
  icon: ReactNode;
}

/** A button that keeps the focus when the column has come to an end, so that keys go on working. */
function Step({ label, isEnd, press, icon }: StepProps) {
  return (
    <button
      type="button"
      className="button quiet icon-only"
      aria-label={label}
      aria-disabled={isEnd}
      onClick={press}
    >
      {icon}
    </button>
  );
}

function NewColumn({ project }: { project: Project }) {
  const [stage, setStage] = useState<OpenStage>("in_progress");
  const create = async ({ name = "", wip_limit }: Record<string, string>) => {
    await createColumn({ id: project.id, stage, name, wip_limit: limitOf(wip_limit) });
    sayDone(words.added(name));
  };
  return (
    <CallForm look="inline" submit={words.add} send={create}>
      <Choice
        label={words.addTo}
        words={OPEN_STAGES}
        value={stage}
        onChange={(next) => setStage(next ?? stage)}
      />
      <Field name="name" label={words.name} maxLength={40} isRequired />
      <LimitField />
    </CallForm>
  );
}
