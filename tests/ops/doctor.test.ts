import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { lockFolder } from "../../db/pglite.ts";
import {
  administer,
  copyTemplate,
  dropPlace,
  emptyPglite,
  emptyPlace,
  nameOf,
  type Place,
  serverUrl,
} from "../database.ts";
import { claimSocket, newSenderSocket } from "../../src/sending/sockets.ts";
import { startService, startWithSender } from "../service_process.ts";
import { until } from "../until.ts";
import { runOps } from "./_command.ts";

describe("the doctor", () => {
  let place: Place;
  beforeAll(async () => {
    place = await emptyPlace("doctor");
  });
  afterAll(() => dropPlace(place));

  function doctor(env: Record<string, string> = {}) {
    return runOps("doctor", [], {
      DATA_DIR: place.dataDir,
      ...(place.url && { DATABASE_URL: place.url }),
      ...env,
    });
  }

  test("finds nothing wrong before the first start, and says what each missing secret switches off", async () => {
    const { code, text } = await doctor({ CRON_SECRET: `${"new-".repeat(8)},${"old-".repeat(8)}` });
    expect([code, text]).toEqual([0, expect.stringMatching(/Nothing is wrong\.\n$/)]);
    expect(text).toMatch(
      /^ok {6}database .+(made at the first start|PostgreSQL \d+\.\d+.*, pgvector 0\.\d+\.\d+)$/m,
    );
    expect(text).toMatch(/^ok {6}CRON_SECRET: two are valid, a rotation is under way$/m);
    expect(text).toMatch(
      /^unset {3}CLOUD_AGENT_WEBHOOK_SECRET: POST \/api\/webhooks\/cloud-agent answers 503$/m,
    );
    for (const name of ["AUTH_SECRET", "ENCRYPTION_KEY", "STRIPE_WEBHOOK_SECRET", "STRIPE_SECRET_KEY"]) {
      expect(text).toMatch(new RegExp(`^unset {3}${name}: .+$`, "m"));
    }
    expect(text).toMatch(/^unset {3}SMTP_URL: no mail is sent: questions and invitations appear only in /m);
    expect(text).toMatch(/^unset {3}MAIL_FROM: no mail is sent/m);
    expect(text).not.toContain("new-new-");
  });

  if (serverUrl) {
    test("says that a database takes no writes, such as a standby of one that is in use", async () => {
      const place = await copyTemplate(inject("template"));
      const healthy = await doctor({ DATABASE_URL: place.url! });
      expect(healthy.code, healthy.text).toBe(0);
      expect(healthy.text).toMatch(/^ok {6}events: 0 changes wait for a number, the oldest for 0 s$/m);
      expect(healthy.text).toMatch(
        /^ok {6}webhooks: 0 are on, 0 were switched off .+, 0 deliveries are overdue/m,
      );
      const { code, text } = await doctor({ DATABASE_URL: `${place.url}?default_transaction_read_only=on` });
      expect([code, text]).toEqual([1, expect.stringMatching(/^WRONG {3}database at .+ takes no writes/m)]);
      await dropPlace(place);
    });
  }

  if (serverUrl) test("says that calls fail where too few connections are allowed", fewConnections);

  async function fewConnections(): Promise<void> {
    const place = await emptyPlace("doctor");
    const name = nameOf(place.url!);
    await administer((sql) => sql.unsafe(`alter database ${name} connection limit 10`));
    const { code, text } = await doctor({ DATABASE_URL: place.url! });
    expect([code, text]).toEqual([
      1,
      expect.stringMatching(/^WRONG {3}database at .+ it allows 10 connections, .+ takes 11$/m),
    ]);
    await administer((sql) => sql.unsafe(`alter database ${name} connection limit 11`));
    expect((await doctor({ DATABASE_URL: place.url! })).code).toBe(0);
    const role = name.replace("doctor", "few");
    await administer((sql) => sql.unsafe(`create role ${role} login password 'few' connection limit 9`));
    const url = new URL(place.url!);
    [url.username, url.password] = [role, "few"];
    expect((await doctor({ DATABASE_URL: url.href })).text).toContain("it allows 9 connections");
    await dropPlace(place);
    await administer((sql) => sql.unsafe(`drop role ${role}`));
  }

  if (serverUrl) {
    test("and the start say that searches miss words where the locale knows no letters", missesWords);
  }

  async function missesWords(): Promise<void> {
    const place = await emptyPlace("doctor");
    const name = nameOf(place.url!);
    await administer((sql) => sql.unsafe(`drop database ${name}`));
    await administer((sql) =>
      sql.unsafe(`create database ${name} template template0 encoding 'UTF8' locale 'C'`)
    );
    const { code, text } = await doctor({ DATABASE_URL: place.url! });
    expect([code, text]).toEqual([1, expect.stringMatching(/^WRONG {3}database at .+ searches miss words/m)]);
    const service = await startService(place);
    expect(await service.stop()).toBe(0);
    expect(service.output).toContain("the database's locale knows only ASCII letters");
    await dropPlace(place);
  }

  test("tries the model", async () => {
    const { code, text } = await doctor({ EMBEDDING_THREADS: "1" });
    expect([code, text]).toEqual([0, expect.stringMatching(/^ok {6}model: .+ it answers$/m)]);
  });

  test("asks the service that has the embedded database open", async () => {
    const { dataDir } = await emptyPglite();
    const lock = await lockFolder(dataDir);
    let status = 200;
    const stuck = Promise.withResolvers<Response>();
    const service = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => status === 0 ? stuck.promise : new Response("how it is", { status }),
    );
    const ask = () => runOps("doctor", [], { DATA_DIR: dataDir, PORT: String(service.addr.port) });
    const ready = await ask();
    expect([ready.code, ready.text]).toEqual([
      0,
      expect.stringMatching(/^ok {6}database in .+: in use by the running service, which says how it is$/m),
    ]);
    status = 503;
    const unready = await ask();
    expect([unready.code, unready.text]).toEqual([
      1,
      expect.stringMatching(/^WRONG {3}database in .+: in use by a service that is not ready: how it is$/m),
    ]);
    status = 0;
    const hung = await ask();
    stuck.resolve(new Response());
    await service.shutdown();
    const silent = await ask();
    for (const { code, text } of [hung, silent]) {
      expect([code, text]).toEqual([
        1,
        expect.stringMatching(
          /^WRONG {3}database in .+: in use by a process that doesn't answer at http:.+ HOST or PORT.+$/m,
        ),
      ]);
    }
    lock.close();
    await Deno.remove(dataDir, { recursive: true });
  });

  test("tells whether the webhook sender answers, and how far events and webhooks are behind", async () => {
    const place = await copyTemplate(inject("template"));
    const service = await startWithSender(place);
    const port = new URL(service.url).port;
    const ask = (env: Record<string, string> = {}) =>
      runOps("doctor", [], {
        DATA_DIR: place.dataDir,
        PORT: port,
        ...(place.url && { DATABASE_URL: place.url }),
        ...env,
      });
    const running = await until(async () => {
      const answer = await ask();
      return /sender at .+: it answers/.test(answer.text) && answer;
    });
    expect([running.code, running.text]).toEqual([
      0,
      expect.stringMatching(/^ok {6}webhook sender at .+send\.[0-9a-f]{6}: it answers$/m),
    ]);
    expect(running.text).toMatch(
      /^ok {6}events: (.+ a number, the oldest for|.+ without a number is) \d+ s/m,
    );
    expect(running.text).toMatch(
      /^ok {6}webhooks: \d+ .*deliver(y is|ies are) overdue|\d+ deliver(y waits|ies wait) for a try/m,
    );
    await service.stop();
    expect((await ask({ JOBS: "off" })).text).toMatch(
      /^unset {3}webhook sender: none runs on this machine; JOBS=off starts none$/m,
    );
    // This process runs, and nobody listens at the socket of its sender.
    const lock = await claimSocket(newSenderSocket(place.dataDir));
    const silent = await ask();
    lock.close();
    // Nobody has what an ended process has left.
    expect((await ask()).text).toMatch(/^unset {3}webhook sender: none runs on this machine/m);
    expect([silent.code, silent.text]).toEqual([
      1,
      expect.stringMatching(/^WRONG {3}webhook sender at .+: webhooks and chat messages are not sent: .+$/m),
    ]);
    await dropPlace(place);
  });

  test("counts what is wrong: a server that nobody reaches, a configuration that can't be", async () => {
    const unreached = await doctor({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });
    expect([unreached.code, unreached.text]).toEqual([
      1,
      expect.stringMatching(
        /^WRONG {3}database at 127\.0\.0\.1:1: .+\n(.*\n)*1 of these must be fixed\.\n$/m,
      ),
    ]);
    const unwritable = await doctor({ DATA_DIR: "/proc/none" });
    expect([unwritable.code, unwritable.text]).toEqual([
      1,
      expect.stringMatching(/^WRONG {3}DATA_DIR \/proc\/none: .+$/m),
    ]);
    const file = await Deno.makeTempFile();
    const misplaced = await doctor({ DATA_DIR: file, DATABASE_URL: "" });
    expect([misplaced.code, misplaced.text]).toEqual([
      1,
      expect.stringMatching(/^WRONG {3}DATA_DIR .+\n(.*\n)*1 of these must be fixed\.$/m),
    ]);
    expect(misplaced.text).not.toContain("database in");
    await Deno.remove(file);
    const misconfigured = await doctor({ PORT: "many" });
    expect([misconfigured.code, misconfigured.text]).toEqual([
      1,
      expect.stringMatching(/^handoff: PORT[^\n]+\n$/),
    ]);
  });
});
