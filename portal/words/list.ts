/** Words of the list. */
export const list = {
  title: "Tickets",
  ticket: "Ticket",
  columnsTitle: "Columns",
  columns: {
    blocked: "Blocked",
    assignee: "Assignee",
    labels: "Labels",
    milestone: "Milestone",
    due: "Due",
    estimate: "Estimate",
    children: "Children",
    stage: "Stage",
    roles: "Roles",
    progress: "Progress",
    created: "Created",
    updated: "Changed",
  },
  empty: "No tickets match these filters.",
};
