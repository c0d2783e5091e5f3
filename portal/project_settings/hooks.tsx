import { useMutation } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import { sentenceOf } from "../api/client.ts";
import type { Project } from "../api/types.ts";
import { setUpHooks } from "../data/settings.ts";
import { Rows, RowText } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { projectSettings as words } from "../words/project_settings.ts";

/** Sets up the webhooks of the project's repositories, and shows the result of each. */
export function Hooks({ project }: { project: Project }) {
  const setUp = useMutation({ mutationFn: () => setUpHooks(project.id) });
  return (
    <Section title={words.hooks} hint={words.hooksHint}>
      {setUp.error && <p role="alert" className="refusal">{sentenceOf(setUp.error)}</p>}
      {setUp.data && (
        <Rows
          label={words.hooks}
          rows={setUp.data.results}
          error={null}
          keyOf={({ repo }) => repo}
        >
          {({ repo, status, error }) => (
            <>
              <RowText name={repo}>{error}</RowText>
              <span className={`tag ${status}`}>{words.hookStatus[status]}</span>
            </>
          )}
        </Rows>
      )}
      <div>
        <Button className="button" isPending={setUp.isPending} onPress={() => setUp.mutate()}>
          {words.setUp}
        </Button>
      </div>
    </Section>
  );
}
