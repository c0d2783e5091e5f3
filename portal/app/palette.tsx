import { useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useEffect, useLayoutEffect, useState } from "react";
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
  Text,
} from "react-aria-components";
import { StageIcon } from "../ui/icons.tsx";
import { Marked } from "../ui/marked.tsx";
import { palette } from "../words/app.ts";
import { type Command, setAsked, useOfferedCommands } from "./commands.ts";
import { wordsAlone } from "./filter_text.ts";
import { takeTyped } from "./keys.ts";
import { useFoundTickets } from "./found_tickets.ts";

/** A ref, as people type it or copy it out of a sentence. */
const REF = /^([a-z][a-z0-9]{1,9}-\d{1,9})[.,;:!?)\]]*$/i;

/** The most tickets in the palette. The search page shows more. */
const MOST_TICKETS = 10;

/** Finds commands and places by their names, and tickets by the service's own search. */
export default function Palette({ close }: { close: () => void }) {
  return (
    <ModalOverlay isOpen onOpenChange={close} isDismissable className="overlay top">
      <Modal className="modal palette">
        <Dialog aria-label={palette.title} className="dialog">
          <Choices close={close} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Choices({ close }: { close: () => void }) {
  const [text, setText] = useState("");
  useLayoutEffect(() => setText((text) => takeTyped() + text), []);
  const q = useDeferredValue(text.trim());
  useEffect(() => setAsked(q), [q]);
  useEffect(() => () => setAsked(""), []);
  const navigate = useNavigate();
  const { found } = useFoundTickets(q, { limit: 6 });
  const offered = useOfferedCommands().filter(({ name }) => isNamed(name, q));
  const all = {
    id: "search-all",
    name: palette.searchAll(q),
    run: () => void navigate({ to: "/search", search: { q } }),
  };
  const ref = REF.exec(q)?.[1]?.toUpperCase();
  const named = {
    id: "open-ref",
    name: palette.openRef(ref ?? ""),
    run: () => void navigate({ to: "/$key/tickets/$ref", params: { key: ref!.split("-")[0]!, ref: ref! } }),
  };
  const commands: Command[] = [...(ref ? [named] : []), ...offered, ...(q.length > 1 ? [all] : [])];
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <SearchField
        autoFocus
        aria-label={palette.title}
        className="palette-field"
        onKeyDown={(event) => event.key === "Escape" && close()}
      >
        <Input placeholder={palette.placeholder} />
      </SearchField>
      <Menu
        className="menu"
        aria-label={palette.results}
        onAction={close}
        renderEmptyState={() => <p className="empty">{palette.empty}</p>}
      >
        {commands.length > 0 && (
          <MenuSection>
            <Header>{palette.actions}</Header>
            {commands.map(({ id, name, keys, run, isHint = false }) => (
              <MenuItem
                key={id}
                id={id}
                textValue={name}
                className="item"
                isDisabled={isHint}
                onAction={run}
              >
                <span className="clip">{name}</span>
                {keys && (
                  <>
                    {" "}
                    <kbd>{keys}</kbd>
                  </>
                )}
              </MenuItem>
            ))}
          </MenuSection>
        )}
        {found.length > 0 && (
          <MenuSection>
            <Header>{palette.tickets}</Header>
            {found.slice(0, MOST_TICKETS).map(({ project, ticket: { ticket_ref: ref, title, stage } }) => (
              <MenuItem
                key={ref}
                id={ref}
                textValue={`${ref} ${title}`}
                className="item"
                onAction={() =>
                  void navigate({ to: "/$key/tickets/$ref", params: { key: project.key, ref } })}
              >
                <StageIcon stage={stage} />
                <Text slot="label" className="clip">
                  <span className="ref">{ref}</span> <Marked text={title} q={wordsAlone(q)} />
                </Text>
              </MenuItem>
            ))}
          </MenuSection>
        )}
      </Menu>
    </Autocomplete>
  );
}

/** Tells whether each word of the query is the beginning of a word of the name. */
function isNamed(name: string, query: string): boolean {
  const words = name.toLowerCase().split(/[\s:]+/);
  return query.toLowerCase().split(/\s+/).every((part) => words.some((word) => word.startsWith(part)));
}
