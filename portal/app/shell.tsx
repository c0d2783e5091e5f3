import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import { RouterProvider } from "react-aria-components";
import { part } from "../api/load.ts";
import type { Me } from "../api/types.ts";
import { meQuery } from "../data/me.ts";
import { viewsQuery } from "../data/views.ts";
import { app, palette } from "../words/app.ts";
import { views as viewWords } from "../words/views.ts";
import { type Command, useCommands } from "./commands.ts";
import { Connection } from "./connection.tsx";
import { awaitField, type Keys, takeTyped, useKeys } from "./keys.ts";
import { useLive } from "./live.ts";
import { Navigation } from "./navigation.tsx";
import { keepFilters } from "./project_links.tsx";
import { useCurrentProject, useProjects } from "./project.ts";
import { applyTheme } from "./theme.ts";
import { signOut } from "./sign_out.ts";
import { ScreenNews } from "./title.tsx";
import { sayRefused, Toasts, undoLast } from "./toasts.tsx";
import { addressOf } from "./view_address.ts";

const Palette = part(async () => (await import("./palette.tsx")).default);
const ShortcutSheet = part(async () => (await import("./shortcut_sheet.tsx")).default);

/** The frame of every screen for a signed-in person: navigation, palette, keys, messages. */
export function Shell({ children = <Outlet /> }: { children?: ReactNode }) {
  const { data: me } = useQuery(meQuery);
  const [open, setOpen] = useState<"palette" | "keys" | null>(null);
  const navigate = useNavigate();
  const close = () => (takeTyped(), setOpen(null));
  const openPalette = () => {
    if (open !== "palette") awaitField();
    setOpen("palette");
  };
  useKeys({
    ...useGoKeys(),
    "mod+k": openPalette,
    "?": () => setOpen("keys"),
    z: () => void undoLast(),
  });
  useLive();
  usePastedPictures();
  useShellCommands(me?.user.role, () => setOpen("keys"));
  return (
    <RouterProvider navigate={(to) => void navigate({ to })}>
      <div className="shell">
        <a className="skip" href="#main">{app.skip}</a>
        <Navigation me={me} openPalette={openPalette} openKeys={() => setOpen("keys")} />
        <div className="stage-area">
          <Connection />
          <ScreenNews />
          {children}
        </div>
        <Suspense>
          {open === "palette" && <Palette close={close} />}
          {open === "keys" && <ShortcutSheet close={close} />}
        </Suspense>
        <Toasts />
      </div>
    </RouterProvider>
  );
}

/** Says that a pasted picture goes nowhere, because a text field drops it without a word. */
function usePastedPictures(): void {
  useEffect(() => {
    const paste = ({ clipboardData }: ClipboardEvent) => {
      if (clipboardData?.files.length && !clipboardData.types.includes("text/plain")) {
        sayRefused(app.noPictures);
      }
    };
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  }, []);
}

/**
 * The project to which keys and commands apply. This is the open project, or else the first
 * project.
 */
function useProjectAtHand() {
  const current = useCurrentProject();
  const projects = useProjects();
  return current ?? projects?.[0];
}

/** Opens the dialog of a new ticket above the open screen, or above the board. */
function useCreate(): () => void {
  const navigate = useNavigate();
  const current = useCurrentProject();
  const project = useProjectAtHand();
  return () =>
    void navigate({
      ...(current ? { to: "." } : { to: "/$key/board", params: { key: project?.key ?? "" } }),
      search: ((old: object) => ({ ...old, create: true })) as never,
    });
}

function useGoKeys(): Keys {
  const navigate = useNavigate();
  const create = useCreate();
  const project = useProjectAtHand();
  const params = { key: project?.key ?? "" };
  return {
    "g w": () => void navigate({ to: "/" }),
    "g m": () => void navigate({ to: "/my-work" }),
    "g i": () => void navigate({ to: "/inbox" }),
    "g f": () => void navigate({ to: "/search" }),
    ...(project && {
      "g b": () => void navigate({ to: "/$key/board", params, search: keepFilters as never }),
      "g l": () => void navigate({ to: "/$key/list", params, search: keepFilters as never }),
      "g s": () => void navigate({ to: "/$key/suggestions", params }),
      c: () => project.my_role === "viewer" ? sayRefused(app.viewer(project.name)) : create(),
    }),
  };
}

/** The screens of the project at hand. Filters stay between the board and the list. */
function projectCommands(key: string, navigate: ReturnType<typeof useNavigate>): Command[] {
  const to = (screen: "board" | "list" | "milestones" | "suggestions" | "settings") => () =>
    void navigate({ to: `/$key/${screen}`, params: { key }, search: keepFilters as never });
  return [
    { id: "board", name: app.board, keys: "G B", run: to("board") },
    { id: "list", name: app.list, keys: "G L", run: to("list") },
    { id: "milestones", name: app.milestones, run: to("milestones") },
    { id: "suggestions", name: app.suggestions, keys: "G S", run: to("suggestions") },
    { id: "project-settings", name: app.projectSettings, run: to("settings") },
  ];
}

function useShellCommands(role: Me["user"]["role"] | undefined, showKeys: () => void): void {
  const navigate = useNavigate();
  const known = useProjects();
  const { data } = useQuery(viewsQuery);
  const projects = known ?? [];
  const project = useProjectAtHand();
  const create = useCreate();
  useCommands([
    ...(project && project.my_role !== "viewer"
      ? [{
        id: "create",
        name: palette.create,
        keys: "C",
        run: create,
      }]
      : []),
    { id: "waiting", name: app.waiting, keys: "G W", run: () => void navigate({ to: "/" }) },
    { id: "my-work", name: app.myWork, keys: "G M", run: () => void navigate({ to: "/my-work" }) },
    { id: "inbox", name: app.inbox, keys: "G I", run: () => void navigate({ to: "/inbox" }) },
    { id: "search", name: app.search, keys: "G F", run: () => void navigate({ to: "/search" }) },
    { id: "projects", name: app.projects, run: () => void navigate({ to: "/projects" }) },
    { id: "views", name: viewWords.title, run: () => void navigate({ to: "/views" }) },
    ...(project ? projectCommands(project.key, navigate) : []),
    { id: "settings", name: palette.ownSettings, run: () => void navigate({ to: "/settings" }) },
    ...(role && role !== "member"
      ? [
        { id: "admin", name: app.admin, run: () => void navigate({ to: "/admin" }) },
        { id: "new-project", name: palette.newProject, run: () => void navigate({ to: "/projects" }) },
      ]
      : []),
    ...projects.map(({ id, key, name }) => ({
      id,
      name: palette.goToProject(name),
      keys: key,
      run: () => void navigate({ to: "/$key/board", params: { key } }),
    })),
    ...(data?.views ?? []).map((view) => ({
      id: `view-${view.id}`,
      name: viewWords.goTo(view.name),
      run: () => void navigate(addressOf(view, projects.find(({ id }) => id === view.project_id))),
    })),
    ...(["light", "dark", "system"] as const).map((theme) => ({
      id: `theme-${theme}`,
      name: `${app.theme}: ${app.themes[theme]}`,
      run: () => applyTheme(theme),
    })),
    { id: "welcome", name: app.firstSteps, run: () => void navigate({ to: "/welcome" }) },
    { id: "keys", name: app.keyboard, keys: "?", run: showKeys },
    { id: "sign-out", name: app.signOut, run: () => void signOut() },
  ]);
}
