import { Suspense } from "react";
import { part } from "../api/load.ts";
import type { AskFirst as Question } from "../app/confirm.tsx";

const Asked = part(async () => (await import("../app/confirm.tsx")).AskFirst);

/** The question before something is deleted. Its code is loaded when somebody deletes. */
export function AskFirst(props: Parameters<typeof Question>[0]) {
  return (
    <Suspense>
      <Asked {...props} />
    </Suspense>
  );
}
