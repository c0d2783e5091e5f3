/** Words of the lists and forms in which the plan of a ticket is set. */
export const pickers = {
  days: "Days",
  you: (name: string) => `${name} (you)`,
  bot: "Bot",
  findPerson: "Find a person",
  findLabel: "Find or create a label",
  findMilestone: "Find a milestone",
  findTicket: "Find an open ticket, or type its ref",
  noSuchPerson: "Nobody who may write here has such a name.",
  noSuchLabel: "No label has such a name.",
  noSuchMilestone: "No milestone has such a name.",
  noMilestones: "The project has no open milestone. Members add one on the page of milestones.",
  noSuchTicket: "No open ticket has such words.",
  createLabel: (name: string) => `Create the label “${name}”`,
  takeRef: (ref: string) => `${ref}, of another project`,
  noMilestone: "No milestone",
  more: "More are found by more of the name.",
  today: "Today",
  tomorrow: "Tomorrow",
  inWeek: "In a week",
  clear: "Clear",
  noDay: "This is not a whole day.",
  noEstimate: "A number from 0 to 10,000, with at most two decimals.",
  estimateHint: "Points or hours, as the project decides.",
  milestoneProgress: (closed: number, total: number) => `${closed} of ${total} closed`,
  closedMilestone: "closed",
};

/** Words of the plan of a new ticket. */
export const newPlan = {
  title: "Plan",
};
