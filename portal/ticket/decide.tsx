import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components";
import type { TestCase } from "../api/types.ts";
import { sayRefused } from "../app/toasts.tsx";
import { decideCase } from "../data/test_cases.ts";
import { Check, Close } from "../ui/icons.tsx";
import { cases as words } from "../words/ticket.ts";

interface DecideProps {
  project: { id: string };
  ticketId: string;
  testCase: Pick<TestCase, "id" | "title" | "version" | "status">;
  onDone?: () => void;
}

/** Lets a person approve or reject, with a note. */
export function Decide({ project, ticketId, testCase, onDone }: DecideProps) {
  const [note, setNote] = useState("");
  const decide = useMutation({
    ...decideCase({ id: project.id, ticketId }, testCase),
    onSuccess: () => (setNote(""), onDone?.()),
    onError: (error) => sayRefused(error),
  });
  const { status } = testCase;
  return (
    <div className="decide">
      <input
        className="react-aria-Input"
        aria-label={words.noteOf(testCase.title)}
        placeholder={words.note}
        maxLength={2000}
        dir="auto"
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
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
