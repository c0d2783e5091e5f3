import { useMutation } from "@tanstack/react-query";
import { type KeyboardEvent, Suspense, useState } from "react";
import { Button } from "react-aria-components";
import { part } from "../api/load.ts";
import type { Comment, Project } from "../api/types.ts";
import { useDraft } from "../app/drafts.ts";
import { sayRefused } from "../app/toasts.tsx";
import { deleteComment, resolveComment, updateComment } from "../data/comments.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Check, More, Pencil, Trash } from "../ui/icons.tsx";
import { MenuButton } from "../ui/menu.tsx";
import { isBlank, lengthOf } from "../ui/lengths.ts";
import { Markdown } from "../ui/markdown.tsx";
import { TooLong } from "../ui/too_long.tsx";
import { Time } from "../ui/time.tsx";
import { app } from "../words/app.ts";
import { conversation as words } from "../words/ticket.ts";
import { Composer, LONGEST_COMMENT } from "./composer.tsx";
import { MentionField } from "./mention_field.tsx";
import { speakerName } from "./speaker.ts";

const AskFirst = part(async () => (await import("../app/confirm.tsx")).AskFirst);

interface Props {
  project: Project;
  comment: Comment;
  replies: Comment[];
  me: string | undefined;
  mayWrite: boolean;
}

/** A thread, with its first comment, the replies, and the buttons. */
export function CommentCard({ project, comment, replies, me, mayWrite }: Props) {
  const [isReplying, setReplying] = useState(false);
  const isResolved = comment.resolved_at !== null;
  const at = { id: project.id, ticketId: comment.ticket_id };
  const resolve = useMutation({
    ...resolveComment(at, comment),
    onError: (error) => sayRefused(error),
  });
  return (
    <article className={`thread${isResolved ? " resolved" : ""}`}>
      <One project={project} comment={comment} me={me} mayWrite={mayWrite} />
      {replies.length > 0 && (
        <ol className="replies">
          {replies.map((reply) => (
            <li key={reply.id}>
              <One project={project} comment={reply} me={me} mayWrite={mayWrite} />
            </li>
          ))}
        </ol>
      )}
      {isReplying && (
        <Composer
          project={project}
          ticketId={comment.ticket_id}
          parentId={comment.id}
          label={words.replyTo(speakerName(comment.author))}
          close={() => setReplying(false)}
        />
      )}
      {mayWrite && !isReplying && !comment.deleted_at && (
        <div className="row thread-acts">
          <Button className="button quiet" onPress={() => setReplying(true)}>{words.reply}</Button>
          <Button className="button quiet" onPress={() => resolve.mutate()}>
            {isResolved ? words.reopen : (
              <>
                <Check />
                {words.resolve}
              </>
            )}
          </Button>
        </div>
      )}
    </article>
  );
}

function One({ project, comment, me, mayWrite }: Omit<Props, "replies">) {
  const [text, setText] = useDraft<string>(`${comment.id}.edit`);
  const { author, body, created_at, edited_at, resolved_at, imported } = comment;
  const at = { id: project.id, ticketId: comment.ticket_id };
  const onError = (error: unknown) => sayRefused(error);
  const update = useMutation({
    ...updateComment(at, comment.id),
    onSuccess: () => setText(null),
    onError,
  });
  const remove = useMutation({ ...deleteComment(at, comment.id), onError });
  const [isAsking, setAsking] = useState(false);
  const name = speakerName(author);
  const isOwn = author.id === me && author.kind === "person";
  const isReady = text !== null && !isBlank(text) && lengthOf(text) <= LONGEST_COMMENT;
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || text === null || !isReady) return;
    event.preventDefault();
    update.mutate(text);
  };
  const mayRemove = isOwn || project.my_role === "admin";
  return (
    <div className="comment">
      <Avatar name={author.name ?? "?"} isAgent={author.kind === "agent"} />
      <div className="comment-text">
        <header>
          <b>{name}</b> <Time at={created_at} />
          {imported && <span className="tag" title={words.importedHint}>{words.imported}</span>}
          {edited_at && <small>{words.edited}</small>}
          {resolved_at && <span className="tag done">{words.resolved}</span>}
          <span className="space" />
          {mayWrite && mayRemove && body !== null && (
            <MenuButton
              className="button quiet icon-only"
              aria-label={words.more(name)}
              label={words.more(name)}
              acts={[
                ...(isOwn ? [{ label: words.edit, icon: <Pencil />, run: () => setText(body) }] : []),
                { label: words.remove, icon: <Trash />, isDanger: true, run: () => setAsking(true) },
              ]}
            >
              <More />
            </MenuButton>
          )}
        </header>
        {isAsking && (
          <Suspense>
            <AskFirst
              label={words.removeComment}
              question={words.removeQuestion}
              run={() => remove.mutate()}
              close={() => setAsking(false)}
            />
          </Suspense>
        )}
        {text !== null && body !== null
          ? (
            <div className="composer">
              <MentionField
                project={project}
                className="text-field"
                aria-label={words.edit}
                rows={3}
                dir="auto"
                // The person has just asked to edit it.
                autoFocus
                value={text}
                onChange={setText}
                onKeyDown={press}
              />
              <TooLong text={text} most={LONGEST_COMMENT} />
              <div className="row">
                <Button
                  className="button primary"
                  isDisabled={!isReady}
                  isPending={update.isPending}
                  onPress={() => update.mutate(text)}
                >
                  {app.save}
                </Button>
                <Button className="button quiet" onPress={() => setText(null)}>{app.cancel}</Button>
              </div>
            </div>
          )
          : body === null
          ? <p className="hint">{words.deleted}</p>
          : <Markdown text={body} />}
      </div>
    </div>
  );
}
