import { runCommand } from "./_cli.ts";

interface Report {
  metadata?: { vulnerabilities: Record<"high" | "critical", number> };
  vulnerabilities?: Record<string, { severity: string }>;
}

/**
 * Asks the registry for known vulnerabilities in the packages that the service runs with. A high or
 * critical one fails the check. If the registry has no advisories or doesn't answer, the check
 * passes.
 */
await runCommand("audit", [], async () => {
  const { stdout } = await new Deno.Command("npm", {
    args: ["audit", "--omit=dev", "--json"],
    cwd: new URL("../", import.meta.url),
    stderr: "null",
  }).output();
  const { metadata, vulnerabilities = {} } = JSON.parse(new TextDecoder().decode(stdout)) as Report;
  if (!metadata) {
    console.log("audit: not done, because the package registry gives no advisories here");
    return 0;
  }
  for (const [name, { severity }] of Object.entries(vulnerabilities)) {
    console.log(`audit: ${severity}: ${name}`);
  }
  const { high, critical } = metadata.vulnerabilities;
  return high + critical;
});
