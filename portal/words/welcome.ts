/** Words of the first steps on a new installation. */
export const welcome = {
  title: "Welcome",
  hint: "Three steps, and a coding agent works for you.",
  notYet: "You are in no project yet. An admin of the project can add you.",
  step: (place: number, name: string) => `Step ${place}: ${name}`,
  done: "done",
  project: "Create a project",
  projectHint: "A project holds tickets, and the people and agents who work on them.",
  ticket: "Write the first ticket",
  ticketHint: "Say what is wrong or missing. An agent reads the text as you write it.",
  ticketTitle: "Title",
  ticketTitleHint: "Such as “Customers can be exported as CSV”.",
  description: "Description",
  descriptionHint: "What you see, and what you would like to see.",
  create: "Create ticket",
  agent: "Connect a coding agent",
  agentHint:
    "The key lets the agent see and work on this project, and nothing else. You can revoke it any time.",
  keyName: "Name of the agent",
  keyNameDefault: "Coding agent",
  createKey: "Create key",
  waits: "Waits for the agent's first call…",
  isConnected: "The agent is connected.",
  say: "Then say this to the agent",
  prompt: (ref: string) =>
    `Take ticket ${ref} from the handoff server, split it into tasks, and work on them. Ask me there if something is unclear.`,
  board: "Go to the board",
};
