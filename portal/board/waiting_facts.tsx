import type { TicketSummary } from "../api/types.ts";
import { Question, Robot } from "../ui/icons.tsx";
import { board } from "../words/board.ts";

/** Shows a running agent and the number of open questions, on a card and in a row. */
export function WaitingFacts({ ticket }: { ticket: TicketSummary }) {
  const { claimed_by: claim, agent_run: run, pending_questions: asked } = ticket;
  return (
    <>
      {run && run.status !== "finished" && claim?.kind !== "agent" && (
        <span className={`fact run ${run.status}`} title={board.run[run.status] ?? run.status}>
          <Robot />
          <span className="hidden">{board.run[run.status] ?? run.status}</span>
        </span>
      )}
      {asked > 0 && (
        <span className="fact ask" title={board.questions(asked)}>
          <span aria-hidden="true" className="fact-shown">
            <Question />
            {asked}
          </span>
          <span className="hidden">{board.questions(asked)}</span>
        </span>
      )}
    </>
  );
}
