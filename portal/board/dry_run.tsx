import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button, Checkbox } from "react-aria-components";
import { sentenceOf } from "../api/client.ts";
import type { Outputs, Project, ResolutionType, Stage, TicketSummary } from "../api/types.ts";
import { changeTickets, dryRunQuery } from "../data/tickets.ts";
import { Sheet } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Check, Warn } from "../ui/icons.tsx";
import { Choice } from "../ui/menu.tsx";
import { app } from "../words/app.ts";
import { dryRun } from "../words/board.ts";
import { RESOLUTIONS } from "../words/enums.ts";

interface Props {
  project: Project;
  tickets: TicketSummary[];
  stage: Stage;
  close: () => void;
  done: (result: Outputs["tickets"]["bulk"]) => void;
}

/**
 * Shows what the moving of many tickets would do before it is done, and the result for each ticket
 * afterwards.
 */
export function DryRun({ project, tickets, stage, close, done }: Props) {
  const [skip, setSkip] = useState({ skip_pending_roles: false, skip_human_test_gate: false });
  const [resolution, setResolution] = useState<{ type: ResolutionType; note: string }>({
    type: "completed",
    note: "",
  });
  const asked = {
    action: "move" as const,
    stage,
    ticket_ids: tickets.map(({ id }) => id),
    ...skip,
  };
  const dry = useQuery(dryRunQuery({ id: project.id, ...asked }));
  const move = useMutation({
    ...changeTickets(project.id),
    onSuccess: done,
  });
  const shown = move.data ?? dry.data;
  const error = move.error ?? dry.error;
  const able = shown?.updated ?? 0;
  return (
    <Sheet title={dryRun.title(tickets.length, stage)} close={close}>
      {error && <p role="alert" className="refusal">{sentenceOf(error)}</p>}
      <div role="status" className="outcome">
        {!shown && !error && <p className="hint">{dryRun.checking}</p>}
        {shown && able > 0 && (
          <p className="outcome-able">
            <Check />
            {(move.data ? dryRun.done : dryRun.can)(able, stage)}
          </p>
        )}
        {shown && shown.errors.length > 0 && (
          <p className="outcome-refused">
            <Warn />
            {(move.data ? dryRun.refusedNow : dryRun.cannot)(shown.errors.length)}
          </p>
        )}
      </div>
      {shown && shown.errors.length > 0 && (
        <ul className="outcome-reasons">
          {shown.errors.map(({ id, error }) => <li key={id}>{error}</li>)}
        </ul>
      )}
      {stage === "live" && !move.data && (
        <>
          <Skip
            label={dryRun.skipRoles}
            isSelected={skip.skip_pending_roles}
            onChange={(skip_pending_roles) => setSkip({ ...skip, skip_pending_roles })}
          />
          {project.my_role === "admin" && (
            <Skip
              label={dryRun.skipTests}
              hint={dryRun.skipTestsHint}
              isSelected={skip.skip_human_test_gate}
              onChange={(skip_human_test_gate) => setSkip({ ...skip, skip_human_test_gate })}
            />
          )}
          <div className="row">
            <Choice
              label={dryRun.resolution}
              words={RESOLUTIONS}
              value={resolution.type}
              onChange={(type) => setResolution({ ...resolution, type: type ?? "completed" })}
            />
          </div>
          <Field
            label={dryRun.note}
            rows={2}
            maxLength={5000}
            value={resolution.note}
            onChange={(note) => setResolution({ ...resolution, note })}
          />
        </>
      )}
      <footer className="actions">
        {move.data ? <Button className="button primary" onPress={close}>{dryRun.finish}</Button> : (
          <>
            <Button className="button" onPress={close}>{app.cancel}</Button>
            <Button
              className="button primary"
              autoFocus
              isDisabled={!dry.data || able === 0}
              isPending={move.isPending}
              onPress={() =>
                move.mutate({
                  ...asked,
                  ...(stage === "live" &&
                    { resolution_type: resolution.type, resolution_note: resolution.note || undefined }),
                })}
            >
              {dryRun.confirm(able, stage)}
            </Button>
          </>
        )}
      </footer>
    </Sheet>
  );
}

function Skip(props: { label: string; hint?: string; isSelected: boolean; onChange: (is: boolean) => void }) {
  return (
    <Checkbox className="check" isSelected={props.isSelected} onChange={props.onChange}>
      <span className="box" />
      <span>
        {props.label}
        {props.hint && (
          <small className="hint">
            <br />
            {props.hint}
          </small>
        )}
      </span>
    </Checkbox>
  );
}
