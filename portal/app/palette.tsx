import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
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
import { trpc } from "../api/client.ts";
import { StageIcon } from "../ui/icons.tsx";
import { palette } from "../words/app.ts";
import { useOfferedCommands } from "./commands.ts";
import { useCurrentProject } from "./project.ts";

/** Everything by its name: what can be done here, and tickets by the service's own search. */
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
  const q = useDeferredValue(text.trim());
  const navigate = useNavigate();
  const project = useCurrentProject();
  const { data: found } = useQuery({
    ...trpc.tickets.list.queryOptions({ id: project?.id ?? "", q, limit: 8 }),
    enabled: !!project && q.length > 1,
    placeholderData: keepPreviousData,
  });
  const commands = useOfferedCommands().filter(({ name }) => isNamed(name, q));
  const tickets = q.length > 1 ? found?.tickets ?? [] : [];
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
            {commands.map(({ id, name, keys, run }) => (
              <MenuItem
                key={id}
                id={id}
                textValue={name}
                aria-label={keys ? `${name} ${keys}` : name}
                className="item"
                onAction={run}
              >
                <Text slot="label" className="clip">{name}</Text>
                {keys && <kbd>{keys}</kbd>}
              </MenuItem>
            ))}
          </MenuSection>
        )}
        {tickets.length > 0 && (
          <MenuSection>
            <Header>{palette.tickets}</Header>
            {tickets.map(({ ticket_ref: ref, title, stage }) => (
              <MenuItem
                key={ref}
                id={ref}
                textValue={`${ref} ${title}`}
                className="item"
                onAction={() =>
                  void navigate({ to: ".", search: (old: object) => ({ ...old, ticket: ref }) })}
              >
                <StageIcon stage={stage} />
                <Text slot="label" className="clip">
                  <span className="ref">{ref}</span> {title}
                </Text>
              </MenuItem>
            ))}
          </MenuSection>
        )}
      </Menu>
    </Autocomplete>
  );
}

/** Each word of the query begins a word of the name. */
function isNamed(name: string, query: string): boolean {
  const words = name.toLowerCase().split(/[\s:]+/);
  return query.toLowerCase().split(/\s+/).every((part) => words.some((word) => word.startsWith(part)));
}
