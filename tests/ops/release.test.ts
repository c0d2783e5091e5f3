import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { freePort } from "../../ops/launch.ts";
import { copyTemplate, dropPlace, type Place } from "../database.ts";
import { runDeno } from "../run_deno.ts";
import { ServiceProcess } from "../service_process.ts";
import { until } from "../until.ts";

const IS_ROOT = Deno.uid() === 0;
/** A user that owns nothing. Without root there is no other user to be. */
const NOBODY = 65534;

let home: string;
let place: Place;
beforeAll(async () => {
  home = await Deno.makeTempDir({ prefix: "handoff-release-" });
  await Deno.chmod(home, 0o755);
  const { code, stdout, stderr } = await runDeno(["run", "-A", "ops/release.ts", `${home}/handoff`]);
  expect([code, stderr]).toEqual([0, expect.not.stringMatching(/error/i)]);
  expect(stdout).toContain(`${home}/handoff`);
  place = await copyTemplate(inject("template"), `${home}/data`);
  await Deno.mkdir(`${home}/data`, { recursive: true });
  if (IS_ROOT) await run(["chown", "-R", String(NOBODY), `${home}/data`]);
});
afterAll(async () => {
  await dropPlace(place);
  await Deno.remove(home, { recursive: true });
});

/**
 * Runs a command of the release in an empty folder, as another user who can write nothing but
 * DATA_DIR, and without npm, a home or anything else in the environment. All file systems but DATA_DIR
 * are read-only where this machine allows that.
 */
function command(args: string[], env: Record<string, string> = {}): Deno.Command {
  const release = [`${home}/handoff/handoff`, ...args];
  const readOnly = `mount --bind ${home}/data ${home}/data && mount -o remount,bind,ro / && ` +
    `mount -o remount,bind,ro ${home} 2>/dev/null; cd ${home}/empty && exec "$0" "$@"`;
  const asNobody = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", ...release];
  const [program, ...rest] = IS_ROOT
    ? ["unshare", "--mount", "--propagation=private", "sh", "-c", readOnly, ...asNobody]
    : release;
  Deno.mkdirSync(`${home}/empty`, { recursive: true });
  return new Deno.Command(program!, {
    args: rest,
    cwd: `${home}/empty`,
    clearEnv: true,
    env: {
      PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
      DATA_DIR: `${home}/data`,
      ...(place.url && { DATABASE_URL: place.url }),
      ...env,
    },
    stdout: "piped",
    stderr: "piped",
  });
}

async function run([program, ...args]: string[]): Promise<void> {
  expect((await new Deno.Command(program!, { args }).output()).success).toBe(true);
}

async function output(args: string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await command(args, env).output();
  return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

describe("the release", () => {
  test("starts by itself with model, portal, documents and sender, and keeps what it stored", async () => {
    const port = String(freePort());
    const env = { PORT: port, ADMIN_PASSWORD: "correct horse battery", EMBEDDING_THREADS: "1" };
    const service = new ServiceProcess(`http://127.0.0.1:${port}`, command(["start"], env).spawn());
    await service.ready();
    await until(async () => (await service.call("GET", "/readyz")).body.sender === "ready");
    expect((await service.call("GET", "/readyz")).body).toMatchObject({ status: "ready", model: "ready" });
    expect(await service.get("/")).toContain("<html");
    expect(await service.get("/api/docs/swagger-ui-bundle.js")).toContain("swagger");
    expect(await service.get("/invite")).toContain("Set your password");
    const login = { email: "admin@localhost", password: env.ADMIN_PASSWORD };
    const { body: pair } = await service.call("POST", "/api/auth/login", { body: login });
    const headers = { authorization: `Bearer ${pair.access_token}` };
    const { body: project } = await service.call("POST", "/api/projects", {
      headers,
      body: { name: "Release" },
    });
    const ticket = (title: string) => ({
      title,
      description: "The upload of a picture ends with an error after some seconds",
      id: project.id,
      request_type: "bug",
      priority: "low",
      blocking: false,
    });
    const create = async (title: string) => {
      const { id: _, ...body } = ticket(title);
      return await service.call("POST", `/api/projects/${project.id}/tickets`, { headers, body });
    };
    expect((await create("Uploading a picture fails")).status).toBe(201);
    const second = await create("The upload of a picture fails");
    expect(second.body.similar_existing).toMatchObject([{ title: "Uploading a picture fails" }]);
    const doctor = await output(["doctor"], { PORT: port });
    expect([doctor.code, doctor.text]).toEqual([0, expect.stringContaining("Nothing is wrong.")]);
    if (!place.url) {
      expect(await output(["backup", `${home}/data/copy`], { PORT: port })).toMatchObject({ code: 0 });
    }
    expect(await service.stop()).toBe(0);
    expect(service.output).not.toMatch(/npm|cannot|"error"/);
  });

  test("has the commands of an operator", async () => {
    const { code, text } = await output(["migrate"]);
    expect([code, text]).toEqual([0, expect.stringMatching(/up to date|applied|nothing/i)]);
    for (const name of ["backup", "restore", "move", "export", "import", "invite", "doctor", "migrate"]) {
      const help = await output([name, "--help"]);
      expect([help.code, help.text]).toEqual([0, expect.stringContaining(`./handoff ${name}`)]);
    }
    const { version } = JSON.parse(await Deno.readTextFile("package.json"));
    expect(await output(["version"])).toEqual({ code: 0, text: `${version}\n` });
    expect(await output(["strat"])).toEqual({ code: 1, text: expect.stringContaining("no command strat") });
    expect((await output(["start", "now"])).code).toBe(1);
  });

  test("has no files of developers and is small", async () => {
    let bytes = 0;
    const names: string[] = [];
    const visit = async (folder: string): Promise<void> => {
      for await (const { name, isDirectory } of Deno.readDir(folder)) {
        if (isDirectory) await visit(`${folder}/${name}`);
        else {
          names.push(`${folder}/${name}`.slice(home.length));
          bytes += (await Deno.lstat(`${folder}/${name}`)).size;
        }
      }
    };
    await visit(`${home}/handoff`);
    expect(bytes).toBeLessThan(250e6);
    expect(names.filter((name) => /\.test\.ts$|\.map$|\.tsx$|typescript|playwright|sharp/.test(name)))
      .toEqual([]);
    expect(names).toEqual(expect.arrayContaining(["/handoff/LICENSE", "/handoff/docs/licenses.md"]));
  });
});
