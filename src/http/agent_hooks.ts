import { Hono } from "hono";
import type { HttpEnv } from "./request.ts";

/**
 * Serves the two hooks that tie a coding agent's session to its work here: what waits for the agent when the
 * session starts, and no end while the agent holds a claim. docs/agents.md says how to use them.
 */
export function agentHookRoutes(publicUrl: string): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const serve = (path: string, text: string) =>
    app.get(path, (c) => c.body(text, 200, { "Content-Type": "text/x-shellscript; charset=utf-8" }));
  serve("/hooks/session-start.sh", hook("SessionStart", START, publicUrl));
  serve("/hooks/stop.sh", hook("Stop", STOP, publicUrl));
  return app;
}

/** The start of both files: it asks get_context. A service that doesn't answer holds nobody up. */
function hook(event: string, rest: string, publicUrl: string): string {
  return `#!/bin/sh
# The hook ${event} of a coding agent. HANDOFF_KEY is the API key; HANDOFF_AGENT is the name that the agent sends as
# \`agent\`, if several agents share the key.
input=$(cat)
[ -n "$HANDOFF_KEY" ] || exit 0
named=\${HANDOFF_AGENT:+"\\"agent\\":\\"$HANDOFF_AGENT\\""}
call="{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"method\\":\\"tools/call\\",\\"params\\":{\\"name\\":\\"get_context\\",\\"arguments\\":{$named}}}"
# The key comes by the standard input, because other users of the machine can read a command line.
answer=$(printf 'header = "Authorization: Bearer %s"\\n' "$HANDOFF_KEY" | curl -sS --max-time 10 --config - \\
  -H 'Content-Type: application/json' -H 'Accept: application/json' -d "$call" '${publicUrl}/mcp') || exit 0
found=$(printf '%s' "$answer" | sed -n 's/.*"structuredContent"://p')
${rest}`;
}

const START = `[ -n "$found" ] && printf 'Handoff tickets, as get_context tells:\\n%s\\n' "$found"
exit 0
`;

const STOP = `# The agent goes on because of this hook already.
case $input in *'"stop_hook_active":true'* | *'"stop_hook_active": true'*) exit 0 ;; esac
held=$(printf '%s' "$found" | sed -n 's/.*"held_tasks":\\[\\(.*\\)\\],"claimed_by_your_other_agents":.*/\\1/p')
case $held in *'"status":"in_progress"'*) ;; *) exit 0 ;; esac
names=$(printf '%s' "$held" | grep -o '"task_id":"[^"]*"' | cut -d'"' -f4 | tr '\\n' ' ')
echo "You still hold tasks at Handoff: \${names}. Report the result with update_task, ask with ask_human, or give them back" \\
  "with renew_claim and give_back. Then end your turn." >&2
exit 2
`;
