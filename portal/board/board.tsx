import { useProject } from "../app/project.ts";

export function Board() {
  const project = useProject();
  return (
    <main className="page" id="main">
      <h1>{project.name}</h1>
    </main>
  );
}
