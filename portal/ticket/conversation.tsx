import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { Button } from "react-aria-components";
import { part } from "../api/load.ts";
import type { Comment, Project, Question, Ticket } from "../api/types.ts";
import { useDraft } from "../app/drafts.ts";
import { commentsQuery } from "../data/comments.ts";
import { meQuery } from "../data/me.ts";
import { questionsQuery } from "../data/questions.ts";
import { Question as QuestionIcon } from "../ui/icons.tsx";
import { Ghosts } from "../ui/ghosts.tsx";
import { app } from "../words/app.ts";
import { conversation as words } from "../words/ticket.ts";
import type { QuestionDraft } from "./ask_question.tsx";
import { CommentCard } from "./comment_card.tsx";
import { Composer } from "./composer.tsx";

// Most tickets have no question.
const QuestionCard = part(async () => (await import("./question_card.tsx")).QuestionCard);
const AskQuestion = part(async () => (await import("./ask_question.tsx")).AskQuestion);

interface Props {
  project: Project;
  ticket: Ticket;
  mayWrite: boolean;
}

/** Comments in their threads and questions with their answers, in the order of their creation. */
export function Conversation({ project, ticket, mayWrite }: Props) {
  const at = { id: project.id, ticketId: ticket.id };
  const { data: me } = useQuery(meQuery);
  const comments = useInfiniteQuery(commentsQuery(at));
  const { data: asked, isPending: isAskedPending } = useQuery(questionsQuery(at));
  // Questions that wait for an answer may be behind a hundred old ones.
  const { data: waiting } = useQuery(questionsQuery(at, "pending"));
  const questions = new Map(
    [...asked?.questions ?? [], ...waiting?.questions ?? []].map((each) => [each.id, each]),
  );
  const [wantsAll, setWantsAll] = useState(false);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = comments;
  // A new comment stands at the end, so the pages before it are read, too.
  useEffect(() => {
    if (wantsAll && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [wantsAll, hasNextPage, isFetchingNextPage, fetchNextPage]);
  const all = comments.data?.pages.flatMap((page) => page.comments) ?? [];
  const threads = all.filter(({ parent_id }) => parent_id === null);
  const said = [...threads.map(ofComment), ...[...questions.values()].map(ofQuestion)]
    .toSorted((one, other) => one.at.localeCompare(other.at));
  // The fields below come with what was said, because they would move away under the pointer.
  if ((comments.isPending || isAskedPending) && !comments.error) return <Ghosts rows={3} />;
  return (
    <>
      {comments.data && asked && said.length === 0 && <p className="empty">{words.empty}</p>}
      <ol className="conversation" aria-busy={!comments.data}>
        {said.map((each) => (
          <li key={each.id}>
            {"question" in each
              ? (
                <Suspense fallback={<Ghosts rows={2} />}>
                  <QuestionCard
                    project={project}
                    question={each.question}
                    mayWrite={mayWrite}
                    isOwn={each.question.asked_by.id === me?.user.id &&
                      each.question.asked_by.kind === "person"}
                  />
                </Suspense>
              )
              : (
                <CommentCard
                  project={project}
                  comment={each.comment}
                  replies={all.filter(({ parent_id }) => parent_id === each.comment.id)}
                  me={me?.user.id}
                  mayWrite={mayWrite}
                />
              )}
          </li>
        ))}
      </ol>
      {comments.hasNextPage && (
        <Button className="button quiet" onPress={() => void comments.fetchNextPage()}>{words.older}</Button>
      )}
      {mayWrite && (
        <Composer
          project={project}
          ticketId={ticket.id}
          label={words.write}
          sent={() => setWantsAll(true)}
        />
      )}
      {mayWrite && <Ask project={project} ticket={ticket} />}
      {comments.error && <p className="refusal">{app.notLoaded}</p>}
    </>
  );
}

function Ask({ project, ticket }: Omit<Props, "mayWrite">) {
  const [fields, setFields] = useDraft<QuestionDraft>(`${ticket.id}.question`);
  return fields
    ? (
      <Suspense>
        <AskQuestion project={project} ticket={ticket} fields={fields} setFields={setFields} />
      </Suspense>
    )
    : (
      <Button
        className="button quiet"
        onPress={() => setFields({ kind: "question", prompt: "", options: "" })}
      >
        <QuestionIcon />
        {words.ask}
      </Button>
    );
}

function ofComment(comment: Comment) {
  return { id: comment.id, at: comment.created_at, comment };
}

function ofQuestion(question: Question) {
  return { id: question.id, at: question.created_at, question };
}
