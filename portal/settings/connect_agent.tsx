import { useState } from "react";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { Copyable } from "../ui/secret.tsx";
import { settings as words } from "../words/settings.ts";

type Client = keyof typeof words.clients;

/**
 * The settings that connect each client to the service. They are the same as in docs/agents.md,
 * with the key filled in.
 */
function snippetsFor(url: string, key: string): Record<Client, string> {
  const headers = { Authorization: `Bearer ${key}` };
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  return {
    claude: `claude mcp add --transport http handoff ${url} --header "Authorization: Bearer ${key}"`,
    cursor: json({ mcpServers: { handoff: { url, headers } } }),
    vscode: json({ servers: { handoff: { type: "http", url, headers } } }),
    codex: [
      "[mcp_servers.handoff]",
      `url = "${url}"`,
      `http_headers = { "Authorization" = "Bearer ${key}" }`,
      "tool_timeout_sec = 300",
    ].join("\n"),
    gemini: json({ mcpServers: { handoff: { httpUrl: url, headers } } }),
  };
}

/** Shows a new key, once, and the text to copy so that an agent works with it. */
export function ConnectAgent({ apiKey }: { apiKey: string }) {
  const [client, setClient] = useState<Client>("claude");
  const snippets = snippetsFor(`${location.origin}/mcp`, apiKey);
  return (
    <div className="made-key" role="status">
      <p>
        <b>{words.shownOnce}</b>
      </p>
      <Copyable label={words.newKey} text={apiKey} />
      <RadioGroup
        className="options"
        orientation="horizontal"
        value={client}
        onChange={(chosen) => setClient(chosen as Client)}
      >
        <Label>{words.connect}</Label>
        <div>
          {(Object.entries(words.clients) as [Client, string][]).map(([id, name]) => (
            <Radio key={id} value={id} className="option">{name}</Radio>
          ))}
        </div>
      </RadioGroup>
      <Copyable key={client} label={words.clientPlaces[client]} text={snippets[client]} />
    </div>
  );
}
