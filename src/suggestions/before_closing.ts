import type { Stage } from "../tickets/schema.ts";

/**
 * State before an accepted closing. `closed_at` tells an undo whether the ticket was reopened or
 * closed again since.
 */
export interface BeforeClosing extends Record<string, unknown> {
  stage: Stage;
  closed_at: string;
  /** The former status of each role that the closing skipped. */
  skipped?: Record<string, string>;
}
