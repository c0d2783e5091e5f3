import { createRouter } from "@tanstack/react-router";
import { adminRoute } from "./admin/routes.tsx";
import { NotFound } from "./app/failed.tsx";
import { projectRoute, rootRoute, signedInRoute } from "./app/tree.tsx";
import { boardRoute, listRoute } from "./board/routes.tsx";
import { inboxRoute } from "./inbox/routes.tsx";
import { milestonesRoute } from "./milestones/routes.tsx";
import { myWorkRoute } from "./my_work/routes.tsx";
import { ProjectFrame } from "./project/frame.tsx";
import { projectSettingsRoute } from "./project_settings/routes.tsx";
import { projectsRoute } from "./projects/routes.tsx";
import { surveyRoute } from "./public/routes.tsx";
import { searchRoute } from "./search/routes.tsx";
import { notificationSettingsRoute, settingsRoute } from "./settings/routes.tsx";
import { signInRoute } from "./sign_in/routes.tsx";
import { suggestionsRoute } from "./suggestions/routes.tsx";
import { ticketRoute } from "./ticket/routes.tsx";
import { viewRoute, viewsRoute } from "./views/routes.tsx";
import { waitingRoute } from "./waiting/routes.tsx";
import { welcomeRoute } from "./welcome/routes.tsx";

// Each area has its routes in a file of its own; here they are put together.
projectRoute.update({ component: ProjectFrame });
const routeTree = rootRoute.addChildren([
  signInRoute,
  surveyRoute,
  signedInRoute.addChildren([
    waitingRoute,
    myWorkRoute,
    inboxRoute,
    projectsRoute,
    welcomeRoute,
    searchRoute,
    viewsRoute,
    viewRoute,
    settingsRoute,
    notificationSettingsRoute,
    adminRoute,
    projectRoute.addChildren([
      boardRoute,
      listRoute,
      ticketRoute,
      suggestionsRoute,
      milestonesRoute,
      projectSettingsRoute,
    ]),
  ]),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: "intent",
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
  // Search fields that no screen knows are left out, because they would go into the calls.
  search: { strict: true },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
