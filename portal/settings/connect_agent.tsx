import { Copyable } from "../ui/secret.tsx";
import { settings as words } from "../words/settings.ts";

type Client = keyof typeof words.clients;

/** How each client is pointed at the service, as docs/agents.md has it. */
function snippetsFor(url: string, key: string): Record<Client, string> {
  const headers = { Authorization: `Bearer ${key}` };
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  return {
    claude: `claude mcp add --transport http handoff ${url} --header "Authorization: Bearer ${key}"`,
    cursor: json({ mcpServers: { handoff: { url, headers } } }),
    vscode: json({ servers: { handoff: { type: "http", url, headers } } }),
    codex:
      `[mcp_servers.handoff]\nurl = "${url}"\nbearer_token_env_var = "HANDOFF_KEY"\ntool_timeout_sec = 300`,
    gemini: json({ mcpServers: { handoff: { httpUrl: url, headers } } }),
  };
}

/** A new key, shown once, and what to copy so that an agent works with it. */
export function ConnectAgent({ apiKey }: { apiKey: string }) {
  const snippets = snippetsFor(`${location.origin}/mcp`, apiKey);
  return (
    <div className="made-key" role="status">
      <p>
        <b>{words.shownOnce}</b>
      </p>
      <Copyable label={words.newKey} text={apiKey} />
      <h3>{words.connect}</h3>
      <p className="hint">{words.connectHint}</p>
      {(Object.keys(snippets) as Client[]).map((client) => (
        <Copyable key={client} label={words.clients[client]} text={snippets[client]} />
      ))}
    </div>
  );
}
