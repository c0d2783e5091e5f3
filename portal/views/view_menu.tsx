import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { Button } from "react-aria-components";
import { codeOf } from "../api/client.ts";
import { part } from "../api/load.ts";
import type { Project, View } from "../api/types.ts";
import { useCommands } from "../app/commands.ts";
import { AskFirst } from "../app/confirm.tsx";
import { useKeys } from "../app/keys.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { addressOf, fieldsOf, isChanged, type Shown } from "../app/view_address.ts";
import {
  createView,
  deleteView,
  lastPlace,
  movePinned,
  pinnedOf,
  updateView,
  viewsQuery,
} from "../data/views.ts";
import { Down, Link as LinkIcon, Pencil, Pin, Trash, Up, Users, View as ViewIcon } from "../ui/icons.tsx";
import { type MenuAct, Opener } from "../ui/menu.tsx";
import { copyText } from "../ui/copy.ts";
import { views as words } from "../words/views.ts";
import { useMayChange } from "./rights.ts";
import type { ViewValues } from "./view_form.tsx";

const ViewForm = part(async () => (await import("./view_form.tsx")).ViewForm);
const OpenMenu = part(async () => (await import("../ui/open_menu.tsx")).default);

interface Props {
  /** Null for the search of all projects. */
  project: Project | null;
  layout: View["layout"];
  shown: Shown;
}

/** Saves what a board, list or search shows as a view, and changes the view that is open. */
export function ViewMenu({ project, layout, shown }: Props) {
  const navigate = useNavigate();
  const { data } = useQuery(viewsQuery);
  const views = data?.views ?? [];
  const view = views.find(({ id, project_id }) => id === shown.view && project_id === (project?.id ?? null));
  const mayChange = useMayChange(view, project);
  const differs = view !== undefined && isChanged(view, layout, shown);
  const [asked, setAsked] = useState<"new" | "name" | "remove" | null>(null);
  const menu = useState(false);
  const close = () => setAsked(null);
  const open = (saved: View) => void navigate({ ...addressOf(saved, project), replace: true });
  const saveNew = async ({ name, isShared, isPinned }: ViewValues) => {
    const saved = await createView({
      ...fieldsOf(layout, shown),
      name,
      project_id: project?.id ?? null,
      shared: isShared,
      place: isPinned ? lastPlace(views) : null,
    });
    sayDone(words.saved(name));
    open(saved);
  };
  /** Makes a change of the open view. What is shown stays in the address, also if the view is gone. */
  const change = async (call: Promise<unknown>, done: string) => {
    try {
      await call;
      sayDone(done);
    } catch (error) {
      if (codeOf(error) !== "not_found") return sayRefused(error);
      sayRefused(words.gone(view!.name), [{ label: words.saveAsNew, run: () => setAsked("new") }]);
    }
  };
  const saveChanges = () =>
    void change(updateView({ viewId: view!.id, ...fieldsOf(layout, shown) }), words.saved(view!.name));
  const remove = () =>
    void change(
      deleteView(view!.id).then(() =>
        navigate({
          to: ".",
          search: ((old: object) => ({ ...old, view: undefined })) as never,
          replace: true,
        })
      ),
      words.removed,
    );
  useKeys({ v: () => view ? menu[1](true) : setAsked("new") });
  useCommands([
    { id: "save-view", name: view ? words.saveAsNew : words.saveAs, run: () => setAsked("new") },
    ...(differs && mayChange
      ? [{ id: "save-view-changes", name: words.saveChangesOf(view.name), run: saveChanges }]
      : []),
  ]);
  return (
    <>
      <span className="space" />
      {!view && (
        <Button className="button quiet" onPress={() => setAsked("new")} aria-keyshortcuts="v">
          <ViewIcon />
          {words.saveAs}
        </Button>
      )}
      {differs && mayChange && <Button className="button" onPress={saveChanges}>{words.saveChanges}</Button>}
      {differs && <Button className="button" onPress={() => setAsked("new")}>{words.saveAsNew}</Button>}
      {view && (
        <Opener
          className="button quiet choice-button chip on"
          aria-label={`${words.menuOf(view.name)}${differs ? `, ${words.changed}` : ""}`}
          state={menu}
          opened={(opened) => (
            <OpenMenu
              {...opened}
              label={words.menuOf(view.name)}
              acts={actsOf({
                view,
                project,
                mayChange,
                views,
                change,
                ask: setAsked,
                asSaved: differs ? () => open(view) : null,
              })}
            />
          )}
        >
          <span className="choice-value">
            <ViewIcon />
            <span className="clip" dir="auto">{view.name}</span>
            {differs && <span className="view-changed" title={words.changed} />}
          </span>
          <span aria-hidden="true" className="caret" />
        </Opener>
      )}
      <Suspense>
        {asked === "new" && (
          <ViewForm
            title={view ? words.saveAsNew : words.saveAs}
            project={project}
            send={saveNew}
            close={close}
          />
        )}
        {asked === "name" && view && (
          <ViewForm
            title={words.rename}
            project={project}
            renamed={view}
            send={async ({ name }) => {
              await updateView({ viewId: view.id, name });
              sayDone(words.renamed(name));
            }}
            close={close}
          />
        )}
      </Suspense>
      {asked === "remove" && view && (
        <AskFirst
          label={words.remove}
          question={words.removeQuestion(view.name, view.shared)}
          run={remove}
          close={close}
        />
      )}
    </>
  );
}

interface Acts {
  view: View;
  project: Project | null;
  mayChange: boolean;
  views: readonly View[];
  change: (call: Promise<unknown>, done: string) => Promise<void>;
  ask: (what: "name" | "remove") => void;
  asSaved: (() => void) | null;
}

/** The acts that a person has for a view. The sidebar is each person's own. */
function actsOf({ view, project, mayChange, views, change, ask, asSaved }: Acts): MenuAct[] {
  const { id: viewId, shared } = view;
  const pinned = pinnedOf(views);
  const at = pinned.findIndex(({ id }) => id === viewId);
  const put = (place: number | null, done: string) => () => void change(updateView({ viewId, place }), done);
  const move = (by: -1 | 1) => () => void movePinned(views, view, by).catch(sayRefused);
  const mayShare = mayChange && project !== null && project.my_role !== "viewer";
  return [
    ...(asSaved ? [{ label: words.asSaved, icon: <ViewIcon />, run: asSaved }] : []),
    at < 0
      ? { label: words.pin, icon: <Pin />, run: put(lastPlace(views), words.pinned) }
      : { label: words.unpin, icon: <Pin />, run: put(null, words.unpinned) },
    ...(at > 0 ? [{ label: words.up, icon: <Up />, run: move(-1) }] : []),
    ...(at >= 0 && at < pinned.length - 1 ? [{ label: words.down, icon: <Down />, run: move(1) }] : []),
    { label: words.copyLink, icon: <LinkIcon />, run: () => copyLinkOf(viewId) },
    ...(mayShare
      ? [{
        label: shared ? words.unshare : words.share,
        icon: <Users />,
        run: () =>
          void change(
            updateView({ viewId, shared: !shared }),
            shared ? words.unshared : words.shared(project.name),
          ),
      }]
      : []),
    ...(mayChange
      ? [
        { label: words.rename, icon: <Pencil />, run: () => ask("name") },
        { label: words.remove, icon: <Trash />, isDanger: true, run: () => ask("remove") },
      ]
      : []),
  ];
}

function copyLinkOf(viewId: string): void {
  const address = `${location.origin}/views/${viewId}`;
  void copyText(address).then((isCopied) => isCopied ? sayDone(words.copied) : sayRefused(address));
}
