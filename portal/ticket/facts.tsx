import { useRef } from "react";
import type { Project, Stage, Ticket } from "../api/types.ts";
import { useName } from "../app/people.ts";
import { PriorityIcon, Rocket, StageIcon, TypeIcon, Warn } from "../ui/icons.tsx";
import { Choice } from "../ui/menu.tsx";
import { Time } from "../ui/time.tsx";
import { Toggle } from "../ui/toggle.tsx";
import { PRIORITIES, RESOLUTIONS, SHIP, STAGES, TYPES } from "../words/enums.ts";
import { ticket as words } from "../words/ticket.ts";
import { PlanFacts } from "./plan_facts.tsx";
import { useChoose } from "./use_save.ts";

interface Props {
  project: Project;
  ticket: Ticket;
  mayWrite: boolean;
}

/** The short fields of a ticket. Each is edited in its place. */
export function Facts({ project, ticket, mayWrite }: Props) {
  const choose = useChoose(project, ticket);
  const createdBy = useName(project.id, ticket.created_by);
  const list = useRef<HTMLDListElement>(null);
  const isDisabled = !mayWrite;
  const { stage, priority, request_type, blocking, ship, resolution_type } = ticket;
  return (
    <dl ref={list} className="facts">
      <div>
        <dt>{words.stage}</dt>
        <dd>
          <Choice
            label={words.stage}
            words={STAGES}
            value={stage}
            look="quiet"
            isDisabled={isDisabled}
            icon={(word) => <StageIcon stage={word} />}
            onChange={(next) => next && next !== stage && choose({ stage: next as Stage }, words.stage)}
          />
        </dd>
      </div>
      <div>
        <dt>{words.priority}</dt>
        <dd>
          <Choice
            label={words.priority}
            words={PRIORITIES}
            value={priority}
            look="quiet"
            isDisabled={isDisabled}
            icon={(word) => <PriorityIcon priority={word} />}
            onChange={(next) => next && next !== priority && choose({ priority: next }, words.priority)}
          />
        </dd>
      </div>
      <div>
        <dt>{words.type}</dt>
        <dd>
          <Choice
            label={words.type}
            words={TYPES}
            value={request_type}
            look="quiet"
            isDisabled={isDisabled}
            icon={(word) => <TypeIcon type={word} />}
            onChange={(next) => next && next !== request_type && choose({ request_type: next }, words.type)}
          />
        </dd>
      </div>
      <PlanFacts project={project} ticket={ticket} mayWrite={mayWrite} list={list} />
      <div>
        <dt>{words.createdBy}</dt>
        <dd className="clip">
          {createdBy}, <Time at={ticket.created_at} />
        </dd>
      </div>
      {ship !== "none" && (
        <div>
          <dt>{words.deploy}</dt>
          <dd>
            <span className={`tag ${ship}`}>
              <Rocket />
              {SHIP[ship]}
            </span>
          </dd>
        </div>
      )}
      {resolution_type && (
        <div>
          <dt>{words.resolution}</dt>
          <dd>{RESOLUTIONS[resolution_type]}</dd>
        </div>
      )}
      <div>
        <dt>{words.blockingShort}</dt>
        <dd>
          <Toggle
            className={`button quiet toggle${blocking ? " is-blocking" : ""}`}
            isOn={blocking}
            isDisabled={isDisabled}
            change={(next) => choose({ blocking: next }, words.blocking)}
          >
            {blocking && <Warn />}
            {blocking ? words.blocks : words.blocksNothing}
          </Toggle>
        </dd>
      </div>
    </dl>
  );
}
