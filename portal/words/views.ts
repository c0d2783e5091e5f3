import type { View } from "../api/types.ts";

/** The fields that group the tickets of a board or list. The type makes the table complete. */
export const GROUPINGS: Record<View["group_by"], string> = {
  stage: "Stage",
  column: "Column",
  assignee: "Assignee",
  label: "Label",
  priority: "Priority",
  milestone: "Milestone",
  parent: "Parent",
  none: "None",
};

/** The names of the groups of tickets that have nothing in the field. */
export const NO_VALUES: Record<Exclude<View["group_by"], "none">, string> = {
  stage: "No stage",
  column: "No column",
  assignee: "Nobody",
  label: "No label",
  priority: "No priority",
  milestone: "No milestone",
  parent: "No parent",
};

/** Words of saved views. */
export const views = {
  title: "Views",
  group: "Group by",
  goneValue: "Deleted",
  leftOut: (count: number) =>
    `${count} smaller ${count === 1 ? "group is" : "groups are"} left out. Filter to see ${
      count === 1 ? "it" : "them"
    }.`,
  hint: "A view is a saved filter with its order. Views that others share are here, too.",
  none: "No views yet. Filter a board or list, and save it as a view.",
  own: "Your views",
  ofOthers: "Shared by others",
  allProjects: "All projects",
  noView: "There is no such view.",
  noViewHint: "It may be deleted, or its owner may not share it with you.",
  saveAs: "Save as view",
  saveChanges: "Save changes",
  saveAsNew: "Save as new view",
  changed: "Changed",
  menuOf: (name: string) => `View: ${name}`,
  goTo: (name: string) => `Go to view ${name}`,
  saveChangesOf: (name: string) => `Save changes of view ${name}`,
  name: "Name",
  save: "Save view",
  saved: (name: string) => `“${name}” is saved.`,
  shareWith: (project: string) => `Everybody who reads ${project} sees it`,
  inSidebar: "Show it in the sidebar",
  onlyYours: "A view of all projects is yours alone.",
  sameName: "You have a view of this name here already.",
  rename: "Rename",
  renamed: (name: string) => `The view is called “${name}” now.`,
  share: "Share with the project",
  unshare: "Stop sharing",
  shared: (project: string) => `Everybody who reads ${project} sees the view.`,
  unshared: "The view is its owner's alone.",
  sharedTag: "Shared",
  pin: "Pin to the sidebar",
  pinOf: (name: string) => `Pin ${name} to the sidebar`,
  unpin: "Unpin",
  unpinOf: (name: string) => `Unpin ${name}`,
  pinned: "The view is in your sidebar.",
  unpinned: "The view isn't in your sidebar any more.",
  up: "Move up in the sidebar",
  down: "Move down in the sidebar",
  copyLink: "Copy link",
  copied: "The link to the view is copied.",
  asSaved: "Show as saved",
  remove: "Delete",
  removeQuestion: (name: string, isShared: boolean) =>
    `“${name}” is gone for ${isShared ? "everybody who sees it" : "good"}. Its tickets stay as they are.`,
  removed: "The view is deleted.",
  gone: (name: string) => `Somebody deleted “${name}” just now. What it shows is still here.`,
  count: (count: number) => `${count} open ${count === 1 ? "ticket" : "tickets"}`,
};
