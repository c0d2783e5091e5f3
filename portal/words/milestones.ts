/** Words of the milestones of a project. */
export const milestones = {
  title: "Milestones",
  open: "Open milestones",
  closed: "Closed milestones",
  none: "No milestone is open. A milestone gathers tickets that shall be done by a day.",
  create: "New milestone",
  add: "Add milestone",
  added: (name: string) => `${name} is added.`,
  name: "Name",
  due: "Due on",
  description: "Description",
  save: "Save",
  saved: "Saved.",
  details: "Details",
  detailsOf: (name: string) => `Details: ${name}`,
  change: "Change the milestone",
  dueOn: (day: string) => `Due on ${day}`,
  late: (day: string) => `Overdue since ${day}`,
  noDue: "No due date",
  progress: (closed: number, total: number) =>
    total === 0 ? "No tickets" : `${closed} of ${total} ${total === 1 ? "ticket" : "tickets"} closed`,
  progressOf: (name: string) => `Progress of ${name}`,
  show: (name: string) => `Show the tickets of ${name}`,
  close: "Close",
  closeOf: (name: string) => `Close ${name}`,
  isClosed: (name: string) => `${name} is closed. Its tickets stay as they are.`,
  reopen: "Reopen",
  reopenOf: (name: string) => `Reopen ${name}`,
  isOpen: (name: string) => `${name} is open again.`,
  remove: "Delete",
  removeQuestion: (name: string, total: number) =>
    total === 0
      ? `“${name}” has no tickets. It can't be brought back.`
      : `${total} ${total === 1 ? "ticket leaves" : "tickets leave"} “${name}”. It can't be brought back.`,
  removed: "The milestone is deleted.",
};
