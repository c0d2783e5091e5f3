/** Words of the list of projects. */
export const projects = {
  title: "New project",
  name: "Name of the project",
  nameHint: "Refs of its tickets begin with a key that is made of the name. You can change both later.",
  peopleClose: "Only people close tickets. Agents bring them to validation.",
  create: "Create project",
  created: (name: string) => `${name} is created.`,
};
