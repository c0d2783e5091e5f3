/** A prompt that a client offers its user, such as a slash command. */
export interface Prompt {
  name: string;
  title: string;
  description: string;
  text: string;
}

export const PROMPTS: readonly Prompt[] = [
  {
    name: "work_on_next_task",
    title: "Work on the next task",
    description: "Claims the next ready task, does the work, and reports the result.",
    text:
      "Call get_context. If you hold a task already, go on with it; if not, claim the next ready one with claim_task. " +
      "Read its ticket with get_ticket before you begin. Do the work and report with update_task: the criteria that are " +
      "met, a short summary, and status done when all of it is done. If a person must decide something, use ask_human " +
      "with the task_id and wait_for the answer. If the ticket has no open task left, propose what a person should check " +
      "with add_test_case, finish your role with set_role, and move the ticket to validation with update_ticket. Then " +
      "stop and tell me what you did.",
  },
  {
    name: "see_what_waits",
    title: "See what waits",
    description: "Shows the answers that came, the tasks you hold, and what could be done next.",
    text:
      "Call get_context, then find_tasks with ready. Tell me in a few lines: which of your questions were answered and " +
      "how, which are still open, which tasks you hold and how long their claims last, and which tasks are ready. Change " +
      "nothing.",
  },
];
