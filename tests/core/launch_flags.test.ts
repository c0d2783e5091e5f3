import { expect, test } from "vitest";
import { parseConfig } from "../../src/core/config.ts";
import { launchFlags, senderFlags } from "../../src/core/launch_flags.ts";
import { runDeno } from "../run_deno.ts";

function netOf(env: Record<string, string>): string[] {
  const flags = launchFlags(parseConfig(env), "/srv/handoff", "/srv/handoff/data/send.0a1b2c");
  const flag = flags.find((one) => one.startsWith("--allow-net="));
  return flag!.slice("--allow-net=".length).split(",");
}

test("the process may listen, reach its database and the code host, and nothing else", () => {
  expect(netOf({})).toEqual([
    "127.0.0.1:3000",
    "api.github.com:443",
    "unix:/srv/handoff/data/db.sock",
    "unix:/srv/handoff/data/backup.sock",
    "unix:/srv/handoff/data/send.0a1b2c",
  ]);
  expect(netOf({ JOBS: "off" })).not.toContain("unix:/srv/handoff/data/send.0a1b2c");
  expect(netOf({
    PORT: "8080",
    HOST: "0.0.0.0",
    DATABASE_URL: "postgres://u:p@db.internal/handoff",
    GITHUB_API_URL: "https://github.example.com/api/v3",
    STRIPE_SECRET_KEY: "sk_test_1",
  })).toEqual([
    "0.0.0.0:8080",
    "github.example.com:443",
    "db.internal:5432",
    "unix:/srv/handoff/data/send.0a1b2c",
    "api.stripe.com:443",
  ]);
});

test("every host of the database is named", () => {
  const net = netOf({ DATABASE_URL: "postgres://u:p@one,two:5433/handoff?target_session_attrs=read-write" });
  expect(net).toEqual(expect.arrayContaining(["one:5432", "two:5433"]));
});

test("an IPv6 address is named as a host, and a folder with a comma is refused", () => {
  expect(netOf({ HOST: "::1" })[0]).toBe("[::1]:3000");
  expect(() => netOf({ DATA_DIR: "/var/a,b" })).toThrow("DATA_DIR: takes a path without commas");
});

test("it writes to DATA_DIR only and runs no other program", () => {
  const flags = launchFlags(parseConfig({ DATA_DIR: "/var/lib/handoff" }), "/srv/handoff");
  expect(flags).toContain("--allow-write=/var/lib/handoff");
  expect(flags).toContain("--allow-ffi=/srv/handoff/node_modules");
  expect(flags.some((flag) => flag === "-A" || flag.startsWith("--allow-run") || flag === "--allow-all"))
    .toBe(false);
});

test("the process that sends webhooks reaches the internet, and has nothing else", () => {
  const flags = senderFlags(parseConfig({ WEBHOOK_ALLOWED_HOSTS: "build.internal" }), "/data/send.0a1b2c");
  expect(flags.filter((flag) => flag.startsWith("--allow"))).toEqual([
    "--allow-net",
    "--allow-read=/data/send.0a1b2c",
    "--allow-write=/data/send.0a1b2c",
  ]);
  expect(flags.at(-1)).toBe("build.internal");
  expect(senderFlags(parseConfig({ JOBS: "off" }), "/data/send.0a1b2c")).toEqual([]);
});

test("a call to a host that is not configured is refused by the runtime itself", async () => {
  const flags = launchFlags(parseConfig({}), Deno.cwd());
  const script =
    `try { await fetch("http://169.254.169.254/latest"); console.log("reached") } catch (error) { console.log(error.name) }`;
  const { stdout } = await runDeno(["run", ...flags, `data:text/typescript,${encodeURIComponent(script)}`]);
  expect(stdout.trim()).toBe("NotCapable");
});

test.each([
  ["the service", launchFlags(parseConfig({}), Deno.cwd())],
  ["its sender", senderFlags(parseConfig({}), "/data/send.0a1b2c").filter((flag) => flag.startsWith("--"))],
])(
  "%s loads no modules from the network, not even from hosts that Deno allows by itself",
  async (_, flags) => {
    const script =
      `try { await import("https://raw.githubusercontent.com/a/b/main/c.ts"); console.log("loaded") } catch (error) { console.log(error.message) }`;
    const { stdout } = await runDeno(["run", ...flags, `data:text/typescript,${encodeURIComponent(script)}`]);
    expect(stdout.trim()).toMatch(/^A remote specifier was requested: .*but --no-remote is specified/);
  },
);
