import { useMutation } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import type { TestCase } from "../api/types.ts";
import { useDraft } from "../app/drafts.ts";
import { sayRefused } from "../app/toasts.tsx";
import { decideCase } from "../data/test_cases.ts";
import { Check, Close } from "../ui/icons.tsx";
import { TooLong } from "../ui/too_long.tsx";
import { cases as words } from "../words/ticket.ts";

interface DecideProps {
  project: { id: string };
  ticketId: string;
  testCase: Pick<TestCase, "id" | "title" | "version" | "status">;
  onDone?: () => void;
}

/** Lets a person approve or reject, with a note. */
export function Decide({ project, ticketId, testCase, onDone }: DecideProps) {
  const [draft, setNote] = useDraft<string>(`${testCase.id}.note`);
  const note = draft ?? "";
  const decide = useMutation({
    ...decideCase({ id: project.id, ticketId }, testCase),
    onSuccess: () => (setNote(null), onDone?.()),
    onError: (error) => sayRefused(error),
  });
  const { status } = testCase;
  return (
    <div className="decide">
      <input
        className="react-aria-Input"
        aria-label={words.noteOf(testCase.title)}
        placeholder={words.note}
        dir="auto"
        value={note}
        onChange={(event) => setNote(event.currentTarget.value || null)}
      />
      <TooLong text={note} most={2_000} />
      {status !== "approved" && (
        <Button
          className="button approve"
          data-act="approve"
          isPending={decide.isPending}
          onPress={() => decide.mutate({ act: "approve", note })}
        >
          <Check />
          {words.approve}
        </Button>
      )}
      {status !== "rejected" && (
        <Button
          className="button"
          data-act="reject"
          isPending={decide.isPending}
          onPress={() => decide.mutate({ act: "reject", note })}
        >
          <Close />
          {words.reject}
        </Button>
      )}
    </div>
  );
}
