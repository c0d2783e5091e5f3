/** Words of the links of a ticket. */
export const linked = {
  children: "Children",
  noChildren: "No children. Split a large ticket into tickets of their own.",
  childrenOf: (ref: string) => `Children of ${ref}`,
  showChildren: (ref: string) => `Show the children of ${ref}`,
  addChild: "Add a child",
  removeChild: (ref: string) => `Take ${ref} out of its parent`,
  kinds: {
    duplicates: "Duplicate of",
    blocked_by: "Waits for",
    blocks: "Blocks",
    relates: "Relates to",
    duplicated_by: "Duplicates",
  },
  kind: "Kind of link",
  add: "Add a link",
  remove: (ref: string) => `Remove the link to ${ref}`,
  removed: (ref: string) => `The link to ${ref} is removed.`,
  childRemoved: (ref: string) => `${ref} has no parent now.`,
  hidden: (count: number) =>
    `${count} more ${count === 1 ? "link leads" : "links lead"} to projects that you can't see.`,
  none: "No links yet.",
  referring: "Mentioned in",
  progress: "Progress of the children",
  moreBlockers: (count: number) => `It waits for ${count} more.`,
};
