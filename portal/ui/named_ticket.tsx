import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useContext } from "react";
import type { TicketAt } from "../data/changes.ts";
import { referencesQuery } from "../data/links.ts";
import { STAGES } from "../words/enums.ts";
import { StageIcon } from "./icons.tsx";
import { TextsOf } from "./texts_of.ts";

/** A ticket that a text names, as a link. In a ticket's texts it has its stage and title. */
export function NamedTicket({ name }: { name: string }) {
  const at = useContext(TextsOf);
  return at ? <InTexts at={at} name={name} /> : <NameLink name={name}>{name}</NameLink>;
}

function InTexts({ at, name }: { at: TicketAt; name: string }) {
  const { data } = useQuery(referencesQuery(at));
  const named = data?.references.find(({ ticket_ref }) => ticket_ref === name);
  if (!named) return <NameLink name={name}>{name}</NameLink>;
  return (
    <NameLink name={name} className="named-ticket">
      <span title={STAGES[named.stage]}>
        <StageIcon stage={named.stage} />
        <span className="hidden">{STAGES[named.stage]}</span>
      </span>
      {name}{" "}
      <span className={named.status === "closed" ? "clip closed" : "clip"} title={named.title} dir="auto">
        {named.title}
      </span>
    </NameLink>
  );
}

function NameLink({ name, className, children }: { name: string; className?: string; children: ReactNode }) {
  return (
    <Link
      {...className && { className }}
      to="/$key/tickets/$ref"
      params={{ key: name.split("-")[0]!, ref: name }}
    >
      {children}
    </Link>
  );
}
