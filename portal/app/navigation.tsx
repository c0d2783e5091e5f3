import { Link } from "@tanstack/react-router";
import { Button } from "react-aria-components";
import { part } from "../api/load.ts";
import type { Me } from "../api/types.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Search } from "../ui/icons.tsx";
import { Opener } from "../ui/menu.tsx";
import { app } from "../words/app.ts";
import { AREA_LINKS, Badge } from "./areas.tsx";
import { ProjectLinks } from "./project_links.tsx";
import { useCurrentProject, useProjects } from "./project.ts";
import { SideViews } from "./side_views.tsx";

const AccountMenu = part(async () => (await import("./account_menu.tsx")).default);

interface Props {
  me: Me | undefined;
  openPalette: () => void;
  openKeys: () => void;
}

/** The navigation at the side of a wide window, or at the bottom of a narrow one. */
export function Navigation({ me, openPalette, openKeys }: Props) {
  return (
    <nav className="side" aria-label={app.main}>
      <Link to="/" className="brand">
        <span className="mark" aria-hidden="true" />
        {app.name}
      </Link>
      <Button className="search-button" onPress={openPalette}>
        <Search />
        <span className="wide-name">{app.searchOrDo}</span>
        <span className="narrow-name" aria-hidden="true">{app.search}</span>
        <kbd>Ctrl K</kbd>
      </Button>
      <ul className="side-top">
        {AREA_LINKS.map(({ to, label, Icon, badge }) => (
          <li key={to}>
            <Link to={to} activeOptions={{ exact: to === "/" }} activeProps={{ "aria-current": "page" }}>
              <Icon />
              <span>{label}</span>
              {badge && <Badge of={badge} />}
            </Link>
          </li>
        ))}
      </ul>
      <SideViews />
      <Projects />
      {me && <Account me={me} openKeys={openKeys} />}
    </nav>
  );
}

function Projects() {
  const projects = useProjects();
  const current = useCurrentProject();
  return (
    <section className="side-projects" aria-labelledby="side-projects">
      <h2 id="side-projects">
        <Link to="/projects">{app.projects}</Link>
      </h2>
      <ul>
        {projects?.map(({ id, key, name }) => (
          <li key={id}>
            <Link to="/$key/board" params={{ key }} className="side-project" title={name}>
              <span className={`key-mark hue-${hueOf(key)}`} aria-hidden="true">{key.slice(0, 2)}</span>
              <span className="clip">{name}</span>
            </Link>
            {current?.id === id && <ProjectLinks projectKey={key} className="side-sub" />}
          </li>
        ))}
        {projects?.length === 0 && (
          <li className="hint">
            <Link to="/welcome">{app.firstSteps}</Link>
          </li>
        )}
      </ul>
    </section>
  );
}

/** One of six colours. A project's key always has the same colour. */
function hueOf(key: string): number {
  return [...key].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 6;
}

function Account({ me, openKeys }: { me: Me; openKeys: () => void }) {
  const { user } = me;
  return (
    <div className="who">
      <Opener
        className="who-button"
        opened={(opened) => <AccountMenu role={user.role} openKeys={openKeys} {...opened} />}
      >
        <Avatar name={user.name} />
        <span className="hidden">{app.account}</span>
        <span className="name">{user.name}</span>
      </Opener>
    </div>
  );
}
