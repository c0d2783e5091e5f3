/** Words of the frame around every screen. */
export const app = {
  name: "Handoff",
  unreachable: "The service could not be reached. Nothing was changed.",
  skip: "Skip to the content",
  main: "Main",
  projects: "Projects",
  noProjects: "No projects yet.",
  firstSteps: "First steps",
  noProject: (key: string) => `No project ${key}`,
  noProjectHint: "It may be archived, or you may not be a member of it.",
  waiting: "Waiting for you",
  inbox: "Inbox",
  search: "Search",
  searchOrDo: "Search or do…",
  board: "Board",
  list: "List",
  suggestions: "Suggestions",
  settings: "Settings",
  projectSettings: "Project settings",
  admin: "Administration",
  more: "More",
  ofProject: "Screens of the project",
  viewer: (project: string) => `You may read ${project}, but not change it.`,
  theme: "Theme",
  themes: { system: "Same as system", light: "Light", dark: "Dark" },
  keyboard: "Keyboard shortcuts",
  signOut: "Sign out",
  notSignedOut: "You are still signed in, because the service could not be reached. Try it again.",
  account: "Account of",
  accountMenu: "Account",
  loading: "Loading…",
  close: "Close",
  cancel: "Cancel",
  save: "Save",
  undo: "Undo",
  dismiss: "Dismiss",
  tryAgain: "Try again",
  notLoaded: "Could not be loaded.",
  notFound: "There is no such page.",
  notFoundHint: "The address may be wrong, or the page no longer exists.",
  home: "Go to the first page",
  broken: "This page failed.",
  brokenHint: "Your text is kept. Load the page again. If it fails again, tell an admin.",
  outdated: "The service has a newer version.",
  outdatedHint: "Your text is kept. Load the page again to go on with the newer version.",
  reload: "Load again",
  offline: "No connection. Changes can't be saved until it is back.",
  nothing: "Nothing here",
  showMore: "Show more",
  created: "Created",
  somebody: "somebody",
};

/** Reasons for which a typed text is refused. */
export const problems = {
  missing: "Fill this in.",
  short: (least: number, length: number) => `At least ${least} characters. You have ${length}.`,
  long: (most: number, length: number) => `At most ${most} characters. You have ${length}.`,
  form: "This is not complete, or has a mistake in it.",
  number: "This takes a whole number.",
};

/** Words for finding people. */
export const people = {
  found: "People found",
  nobody: "Nobody has such a name.",
  more: "More people are found by more of the name.",
};

/** Words of the command palette. */
export const palette = {
  title: "Search or do",
  placeholder: "Search tickets, or type what to do",
  empty: "Nothing has that name.",
  results: "Results",
  actions: "Actions",
  goTo: "Go to",
  tickets: "Tickets",
  create: "New ticket",
  openRef: (ref: string) => `Open ${ref}`,
  newProject: "New project",
  ownSettings: "Your settings",
  searchAll: (q: string) => `Search “${q}” in all projects`,
  goToProject: (name: string) => `Go to ${name}`,
};

/** Words of the list of keys. Each line has the keys and their effect. */
export const keys = {
  title: "Keyboard shortcuts",
  single: "Single-key shortcuts",
  singleHint: "Switch them off if you dictate, or if they get in your way.",
  groups: [
    {
      name: "Everywhere",
      lines: [
        ["Ctrl K", "Search, or do anything"],
        ["C", "New ticket"],
        ["G then W", "Waiting for you"],
        ["G then I", "Inbox"],
        ["G then F", "Search"],
        ["G then B", "Board"],
        ["G then L", "List"],
        ["G then S", "Suggestions"],
        ["Z", "Undo the last change"],
        ["?", "This list"],
        ["Esc", "Close, or clear the selection"],
      ],
    },
    {
      name: "Board and list",
      lines: [
        ["J K", "Next and previous ticket"],
        ["H L", "Column to the left and right"],
        ["Enter", "Open the ticket"],
        ["M", "Move to a stage"],
        ["Shift ← →", "Move to the stage beside"],
        ["X", "Select"],
        ["Ctrl A", "Select the column"],
        ["/", "Filter"],
      ],
    },
    {
      name: "Waiting for you and suggestions",
      lines: [
        ["J K", "Next and previous"],
        ["A", "Approve or accept"],
        ["R", "Reject"],
        ["D", "Dismiss"],
        ["Ctrl Enter", "Send what you typed"],
      ],
    },
  ],
};
