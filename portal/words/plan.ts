/** Words of the plan of a ticket: who does it, what it is about, when it is due, what it waits for. */
export const plan = {
  assignee: "Assignee",
  labels: "Labels",
  due: "Due",
  start: "Start",
  estimate: "Estimate",
  milestone: "Milestone",
  parent: "Parent",
  blockers: "Waits for",
  none: "None",
  nobody: "Nobody",
  noParent: "No parent",
  span: (start: string, due: string) => `${start} – ${due}`,
  from: (start: string) => `from ${start}`,
  late: (day: string) => `Overdue since ${day}`,
  dueOn: (day: string) => `Due on ${day}`,
  estimated: (estimate: number) => `Estimate ${estimate}`,
  assignedTo: (name: string) => `Assigned to ${name}`,
  labelled: (names: string) => `Labels: ${names}`,
  moreLabels: (names: string) => `More labels: ${names}`,
  blocked: "Blocked",
  waitsFor: (count: number) => `Waits for ${count} open ${count === 1 ? "ticket" : "tickets"}`,
  open: (count: number) => `${count} open`,
  childrenDone: (done: number, total: number) => `${done} of ${total} children closed`,
  parentChanged: (ref: string) => `Somebody else gave ${ref} another parent just now.`,
};

/** Words of the commands of the palette that plan the open ticket. */
export const planCommands = {
  assignMe: (ref: string) => `Assign ${ref} to me`,
  set: {
    assignee: (ref: string) => `Set assignee of ${ref}`,
    labels: (ref: string) => `Change labels of ${ref}`,
    due: (ref: string) => `Set due and start day of ${ref}`,
    estimate: (ref: string) => `Set estimate of ${ref}`,
    milestone: (ref: string) => `Set milestone of ${ref}`,
    parent: (ref: string) => `Set parent of ${ref}`,
    blockers: (ref: string) => `Set what blocks ${ref}`,
  },
};
