/** Words of a person's own work in all projects. */
export const myWork = {
  title: "My work",
  hint: "What others wait for comes first, then what is due.",
  count: (count: number, more: boolean) =>
    `${count}${more ? " or more" : ""} open ${count === 1 && !more ? "ticket" : "tickets"} of yours.`,
  empty: "You have no open work.",
  emptyHint: "Tickets that are assigned to you, and tickets with a task of yours, show here.",
  blocks: (count: number) => `${count} ${count === 1 ? "ticket waits" : "tickets wait"} for it`,
  blocking: "blocks other work",
  tasks: "Your tasks",
  more: "Show more",
};
