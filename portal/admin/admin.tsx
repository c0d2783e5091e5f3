import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { useTitle } from "../app/title.tsx";
import { meQuery } from "../data/me.ts";
import { admin as words } from "../words/admin.ts";
import { Accounts } from "./accounts.tsx";
import { Audit } from "./audit.tsx";
import { Billing } from "./billing.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Jobs } from "./jobs.tsx";
import { Roles } from "./roles.tsx";
import type { AdminSection } from "./routes.tsx";
import { Storage } from "./storage.tsx";
import { Surveys } from "./surveys.tsx";
import { Users } from "./users.tsx";

const route = getRouteApi("/signed-in/admin");

const OF_ACCOUNT = ["users", "roles", "billing", "audit"] as const;
const OF_INSTALLATION = ["accounts", "surveys", "deliveries", "jobs", "storage"] as const;

const SECTIONS: Record<AdminSection, ComponentType> = {
  users: Users,
  roles: Roles,
  billing: Billing,
  audit: Audit,
  accounts: Accounts,
  surveys: Surveys,
  deliveries: Deliveries,
  jobs: Jobs,
  storage: Storage,
};

/** The administration of the account. Admins of the installation see more areas. */
export function Admin() {
  const { data: me } = useQuery(meQuery);
  const { section = "users" } = route.useSearch();
  useTitle(words.sections[section], words.title);
  if (me?.user.role === "member") {
    return (
      <main className="page" id="main" tabIndex={-1}>
        <h1>{words.title}</h1>
        <p className="empty">{words.notAllowed}</p>
      </main>
    );
  }
  const shown = me?.user.role === "super_admin" ? [...OF_ACCOUNT, ...OF_INSTALLATION] : OF_ACCOUNT;
  const Shown = SECTIONS[section];
  return (
    <main className="page" id="main" tabIndex={-1}>
      <h1>{words.title}</h1>
      <nav className="section-links" aria-label={words.title}>
        {shown.map((each) => (
          <Link
            key={each}
            to="/admin"
            search={{ section: each }}
            className={`button chip${each === section ? " on" : ""}`}
            aria-current={each === section ? "page" : undefined}
          >
            {words.sections[each]}
          </Link>
        ))}
      </nav>
      <Shown />
    </main>
  );
}
