import { expect, test } from "vitest";
import { ConfigError } from "../../db/errors.ts";
import { parseConfig, VARIABLES } from "../../src/core/config.ts";

test("an empty environment gives the documented defaults", () => {
  expect(parseConfig({}, 2)).toMatchObject({
    PORT: 3000,
    HOST: "127.0.0.1",
    PUBLIC_URL: "http://127.0.0.1:3000",
    DATA_DIR: "./data",
    ADMIN_EMAIL: "admin@localhost",
    GITHUB_API_URL: "https://api.github.com",
    EMBEDDING_THREADS: 1,
    JOBS: "on",
    RATE_LIMIT_REFRESH: { points: 10, seconds: 60 },
    CORS_ORIGINS: [],
    TRUST_PROXY: false,
    LOG_LEVEL: "info",
  });
  expect(parseConfig({}, 8).EMBEDDING_THREADS).toBe(4);
  expect(parseConfig({ PORT: "" }).PORT).toBe(3000);
});

test("what is just long or large enough is taken, and addresses as people write them", () => {
  const secret = "a".repeat(32);
  const given = {
    PORT: "65535",
    AUTH_SECRET: secret,
    ADMIN_PASSWORD: "8 signs.",
    DATABASE_URL: "postgresql://u:100%25@db/handoff?sslmode=verify-ca",
    GITHUB_API_URL: "https://github.example/api/v3/ ",
    CORS_ORIGINS: "https://portal.test/, HTTP://LOCALHOST:5173",
    EMBEDDING_THREADS: "99",
    RATE_LIMIT_REFRESH: "999999/999999",
  };
  expect(parseConfig(given)).toMatchObject({
    ...given,
    PORT: 65535,
    AUTH_SECRET: [secret],
    GITHUB_API_URL: "https://github.example/api/v3",
    CORS_ORIGINS: ["https://portal.test", "http://localhost:5173"],
    EMBEDDING_THREADS: 99,
    RATE_LIMIT_REFRESH: { points: 999_999, seconds: 999_999 },
  });
  for (const [cores, threads] of [[1, 1], [3, 1], [5, 2]]) {
    expect(parseConfig({}, cores).EMBEDDING_THREADS).toBe(threads);
  }
});

const WRONG: [string, string][] = [
  ["PORT", "0"],
  ["PORT", "65536"],
  ["PORT", "3000a"],
  ["PUBLIC_URL", "ftp://x"],
  ["PUBLIC_URL", "https://x.test/handoff"],
  ["PUBLIC_URL", "https://x.test/?a=b"],
  ["PUBLIC_URL", "https://user:word@x.test"],
  ["DATA_DIR", " \r"],
  ["DATA_DIR", "/var/lib/hand\roff"],
  ["DATABASE_URL", "mysql://x"],
  ["DATABASE_URL", "postgres://u:pa#ss@db/x"],
  ["DATABASE_URL", "postgres://db:99999/x"],
  ["DATABASE_URL", "postgres://db/x?sslmode=disabled"],
  ["DATABASE_URL", "postgres://one,two/x?sslmode=verify"],
  ["DATABASE_URL", "postgres://u:100%@db/x"],
  ["DATABASE_URL", "postgres://u:%E4rger@db/x"],
  ["DATABASE_URL", "postgres://db/100%"],
  ["DATABASE_URL", "postgres://u:word@%2Fvar%2Frun%2Fpostgresql/x"],
  ["DATABASE_URL", "postgres://u:word@[::1]/x"],
  ["DATABASE_URL", "postgres://u:word@one,,two/x"],
  ["DATABASE_URL", "postgres://u:word@one:5432,two:99999/x"],
  ["DATABASE_CONNECTIONS", "0"],
  ["AUTH_SECRET", "a".repeat(31)],
  ["AUTH_SECRET", ","],
  ["ENCRYPTION_KEY", "a".repeat(32) + ",b"],
  ["ADMIN_EMAIL", "nobody"],
  ["ADMIN_EMAIL", `${"a".repeat(250)}@x.test`],
  ["ADMIN_PASSWORD", "7 signs"],
  ["ADMIN_PASSWORD", "a".repeat(1001)],
  ["ADMIN_PASSWORD", "of a mounted file\n"],
  ["ADMIN_PASSWORD", "of a file whose lines end as on Windows\r"],
  ["ADMIN_PASSWORD", "of a file with a blank "],
  ["DATA_DIR", '"/var/lib/handoff"'],
  ["CRON_SECRET", `'${"a".repeat(16)}'`],
  ["CRON_SECRET", "a,b,c"],
  ["CRON_SECRET", "a".repeat(15)],
  ["CLOUD_AGENT_WEBHOOK_SECRET", `${"a".repeat(16)},b`],
  ["GITHUB_WEBHOOK_SECRET", "one"],
  ["STRIPE_WEBHOOK_SECRET", "whsec_1"],
  ["STRIPE_SECRET_KEY", "sk_test_1\nsk_test_2"],
  ["STRIPE_SECRET_KEY", "sk_test_1 sk_test_2"],
  ["STRIPE_API_URL", "stripe"],
  ["STRIPE_API_URL", "https://gateway.test/stripe"],
  ["GITHUB_API_URL", "https://github.example/api/v3?per_page=1"],
  ["GITHUB_API_URL", "https://github.example/api/v3#"],
  ["GITHUB_API_URL", "https://user:word@github.example/api/v3"],
  ["GITHUB_API_URL", "https://user@github.example/api/v3"],
  ["EMBEDDING_THREADS", "-1"],
  ["EMBEDDING_THREADS", "100"],
  ["JOBS", "yes"],
  ["RATE_LIMIT_REFRESH", "10"],
  ["RATE_LIMIT_REFRESH", "0/60"],
  ["RATE_LIMIT_REFRESH", "1000000/60"],
  ["RATE_LIMIT_REFRESH", "10/1000000"],
  ["CORS_ORIGINS", "https://a.test,b"],
  ["CORS_ORIGINS", "localhost:5173"],
  ["TRUST_PROXY", "1"],
  ["KEEP_HISTORY_DAYS", "89"],
  ["KEEP_HISTORY_DAYS", "a year"],
  ["KEEP_ANSWERS_DAYS", "0"],
  ["KEEP_ANSWERS_DAYS", "10000"],
  ["LOG_LEVEL", "loud"],
];

test.each(WRONG)("%s=%s ends the start with one line that names it", (name, value) => {
  expect(() => parseConfig({ [name]: value })).toThrow(ConfigError);
  expect(() => parseConfig({ [name]: value })).toThrow(new RegExp(`^${name}: takes [^\n]+$`));
});

test.each(VARIABLES)(
  "%s of a file with line ends, blanks or quotes around it is read without them, or refused by name",
  (name) => {
    const values: Record<string, string> = {
      PORT: "80",
      HOST: "localhost",
      PUBLIC_URL: "https://x.test",
      DATABASE_URL: "postgres://u:word@db/x",
      AUTH_SECRET: "a".repeat(32),
      ENCRYPTION_KEY: "a".repeat(32),
      ADMIN_EMAIL: "a@x.test",
      SMTP_URL: "smtp://mail.x.test",
      MAIL_FROM: "a@x.test",
      EMBEDDING_THREADS: "1",
      DATABASE_CONNECTIONS: "10",
      JOBS: "off",
      RATE_LIMIT_REFRESH: "1/1",
      TRUST_PROXY: "on",
      LOG_LEVEL: "debug",
      STRIPE_API_URL: "https://x.test",
      GITHUB_API_URL: "https://x.test",
      CORS_ORIGINS: "https://x.test",
      KEEP_HISTORY_DAYS: "400",
      KEEP_ANSWERS_DAYS: "30",
    };
    const value = values[name] ?? "long enough a value".replaceAll(" ", "_");
    const clean = parseConfig({ [name]: value });
    const ends = ["\r", "\n", "\r\n", "\r\r\n", " ", "\t", "  \r\n", "\u00a0"].map((end) => value + end);
    const quoted = ['"', "'"].flatMap((quote) => ["", "\r", " "].map((end) => quote + value + quote + end));
    for (const sent of [...ends, ` ${value}`, ...quoted]) {
      try {
        expect(parseConfig({ [name]: sent })).toEqual(clean);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        expect(error.message).toMatch(new RegExp(`^${name}: takes [^\r\n]+$`));
      }
    }
  },
);

test("every variable is documented, and passed on by compose where the image doesn't say it", async () => {
  const text = await read("docs/self_hosting.md");
  const table = text.slice(text.indexOf("## Configuration"), text.indexOf("## Which database"));
  const named = [...table.matchAll(/^\| `(\w+)`(?:, `(\w+)`)?/gm)].flatMap(([, ...names]) =>
    names.filter(Boolean)
  );
  expect(named.toSorted()).toEqual(VARIABLES.toSorted());

  const ofImage = ["HOST", "PORT", "DATA_DIR"];
  const [, service = ""] = (await read("compose.yaml")).split(/^ {2}service:$/m);
  const passed = [...service.matchAll(/^ {6}([A-Z_]+): /gm)].map(([, name]) => name!);
  expect([...passed, ...ofImage].sort()).toEqual(VARIABLES.toSorted());
  const example = [...(await read(".env.example")).matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!);
  const composed = ["DATABASE_URL", ...ofImage];
  expect([...example, ...composed].sort()).toEqual([...VARIABLES, "POSTGRES_PASSWORD"].sort());
});

function read(path: string): Promise<string> {
  return Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
}

test("links name localhost where the service listens everywhere", () => {
  expect(parseConfig({ HOST: "0.0.0.0", PORT: "80" }).PUBLIC_URL).toBe("http://localhost");
  expect(parseConfig({ HOST: "::" }).PUBLIC_URL).toBe("http://localhost:3000");
  expect(parseConfig({ HOST: "::1" }).PUBLIC_URL).toBe("http://[::1]:3000");
  expect(parseConfig({ HOST: "0.0.0.0", PUBLIC_URL: "https://x.test/" }).PUBLIC_URL).toBe("https://x.test");
  expect(parseConfig({ PUBLIC_URL: "HTTPS://X.test:443" }).PUBLIC_URL).toBe("https://x.test");
});

test("a host is a name or an address and nothing else", () => {
  for (
    const HOST of [
      "localhost:3000",
      "http://x",
      "[::1]",
      "nonsense..",
      "a b",
      "-x",
      "10.0.0.256",
      "0.0.0.0.0",
      "fe80::1%eth0",
    ]
  ) {
    expect(() => parseConfig({ HOST }), HOST).toThrow(/^HOST: takes a name or an address/);
  }
  for (const HOST of ["localhost", "tickets.example", "10.0.0.1", "::1", "fe80::1"]) {
    expect(parseConfig({ HOST }).HOST).toBe(HOST);
  }
});

test("two secrets may be given while one replaces the other", () => {
  expect(parseConfig({ CRON_SECRET: `${"new-".repeat(4)}, ${"old-".repeat(4)}` }).CRON_SECRET)
    .toEqual(["new-".repeat(4), "old-".repeat(4)]);
  expect(VARIABLES).toContain("CRON_SECRET");
});
