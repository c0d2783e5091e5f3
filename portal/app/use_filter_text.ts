import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { codeOf, fieldErrorsOf, sentenceOf } from "../api/client.ts";
import { countsQuery } from "../data/tickets.ts";
import { lengthOf, LONGEST_QUERY } from "../ui/lengths.ts";
import { problems } from "../words/app.ts";

/** Milliseconds from the last key to the search. */
const PAUSE_MS = 200;

/**
 * The text of a filter while a person writes it. The address gets it as soon as the service can read
 * it, so what was found last stays in sight beside the sentence of a refusal.
 */
export function useFilterText(project: string | undefined, q: string, commit: (q: string) => void) {
  const client = useQueryClient();
  const [text, setText] = useState(q);
  const [refusal, setRefusal] = useState<string | null>(null);
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  const turn = useRef(0);
  /** The text that this field has put into the address. */
  const own = useRef(q);
  useEffect(() => () => clearTimeout(later.current), []);
  // The address changes by the browser's back button, too.
  useEffect(() => {
    if (q === own.current) return;
    own.current = q;
    turn.current++;
    setText(q);
    setRefusal(null);
  }, [q]);
  const send = async (next: string) => {
    const mine = ++turn.current;
    const refused = next === "" || !project ? null : await refusalOf(next);
    if (mine !== turn.current) return;
    setRefusal(refused);
    if (refused !== null) return;
    own.current = next;
    commit(next);
  };
  const refusalOf = async (next: string): Promise<string | null> => {
    const length = lengthOf(next);
    if (length > LONGEST_QUERY) return problems.long(LONGEST_QUERY, length);
    // The answer is the one that the screen shows.
    return await client.fetchQuery(countsQuery(project!, { q: next })).then(() => null, refusalIn);
  };
  const write = (next: string, pause = 0) => {
    setText(next);
    clearTimeout(later.current);
    turn.current++;
    later.current = setTimeout(() => void send(next.trim()), pause);
  };
  // The address may name a filter that the service refuses, and values that nothing has.
  const { data, error } = useQuery({ ...countsQuery(project ?? "", { q }), enabled: q !== "" && !!project });
  const isShown = text.trim() === q;
  return {
    text,
    type: (next: string) => write(next, PAUSE_MS),
    put: (next: string) => write(next),
    refusal: refusal ?? (isShown && error ? refusalIn(error) : null),
    unrecognized: isShown ? data?.unrecognized ?? [] : [],
  };
}

/** Returns null if the text isn't the reason of the failure. */
function refusalIn(error: unknown): string | null {
  return codeOf(error) === "invalid_request" ? fieldErrorsOf(error)["q"] ?? sentenceOf(error) : null;
}
