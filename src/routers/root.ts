import { accountsRouter } from "./accounts.ts";
import { auditRouter } from "./audit.ts";
import { agentsRouter } from "./agents.ts";
import { authRouter } from "./auth.ts";
import { billingRouter } from "./billing.ts";
import { columnsRouter } from "./columns.ts";
import { commentsRouter } from "./comments.ts";
import { eventsRouter } from "./events.ts";
import { inboxRouter } from "./inbox.ts";
import { integrationsRouter } from "./integrations.ts";
import { keysRouter } from "./keys.ts";
import { labelsRouter } from "./labels.ts";
import { linksRouter } from "./links.ts";
import { milestonesRouter } from "./milestones.ts";
import { newsRouter } from "./news.ts";
import { operationsRouter } from "./operations.ts";
import { projectsRouter } from "./projects.ts";
import { questionsRouter } from "./questions.ts";
import { referencesRouter } from "./references.ts";
import { settingsRouter } from "./settings.ts";
import { suggestionsRouter } from "./suggestions.ts";
import { surveysRouter } from "./surveys.ts";
import { tasksRouter } from "./tasks.ts";
import { testCasesRouter } from "./test_cases.ts";
import { ticketsRouter } from "./tickets.ts";
import { transfersRouter } from "./transfers.ts";
import { router } from "./trpc.ts";
import { usersRouter } from "./users.ts";
import { viewsRouter } from "./views.ts";
import { webhooksRouter } from "./webhooks.ts";
import { waitingRouter } from "./waiting.ts";
import { watchRouter } from "./watch.ts";

/** Every procedure of the service. REST, tRPC and the OpenAPI document are made from this tree. */
export const appRouter = router({
  accounts: accountsRouter,
  audit: auditRouter,
  agents: agentsRouter,
  auth: authRouter,
  billing: billingRouter,
  columns: columnsRouter,
  comments: commentsRouter,
  events: eventsRouter,
  inbox: inboxRouter,
  integrations: integrationsRouter,
  keys: keysRouter,
  labels: labelsRouter,
  links: linksRouter,
  milestones: milestonesRouter,
  news: newsRouter,
  operations: operationsRouter,
  projects: projectsRouter,
  questions: questionsRouter,
  references: referencesRouter,
  settings: settingsRouter,
  suggestions: suggestionsRouter,
  surveys: surveysRouter,
  tasks: tasksRouter,
  testCases: testCasesRouter,
  tickets: ticketsRouter,
  transfers: transfersRouter,
  users: usersRouter,
  views: viewsRouter,
  webhooks: webhooksRouter,
  waiting: waitingRouter,
  watch: watchRouter,
});

export type AppRouter = typeof appRouter;
