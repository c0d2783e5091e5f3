import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient, session } from "./api/client.ts";
import { keepFiles } from "./api/service_worker.ts";
import { router } from "./routes.tsx";

keepFiles();
session.ended = () => {
  queryClient.clear();
  const { href, pathname } = router.state.location;
  if (pathname !== "/sign-in") void router.navigate({ to: "/sign-in", search: { next: href } });
};
createRoot(document.getElementById("portal")!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
