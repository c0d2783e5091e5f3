import { freePort } from "../../ops/launch.ts";

/**
 * PostgreSQL's programs: of this machine or, with POSTGRES_ROOT, of the Debian in that folder,
 * where they run as its user postgres.
 */
const ROOT = Deno.env.get("POSTGRES_ROOT") ?? "";
const BIN = Deno.env.get("POSTGRES_BIN") ?? "/usr/lib/postgresql/17/bin";
const AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"];

/** Whether two servers can be made here. */
export async function hasServers(): Promise<boolean> {
  return await Deno.stat(`${ROOT}${BIN}/initdb`).then(() => true, () => false);
}

/** A primary and its synchronous standby: each acknowledged write is on the disks of both. */
export class ServerPair {
  readonly #folder: string;
  readonly #ports = [freePort(), freePort()] as const;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(): Promise<ServerPair> {
    const folder = await run("mktemp", "--directory", "/tmp/handoff-failover-XXXXXX");
    const pair = new ServerPair(folder);
    try {
      await pair.#startPrimary();
      await pair.#startStandby();
    } catch (error) {
      await pair.close();
      throw error;
    }
    return pair;
  }

  /** The address with both hosts. */
  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.#ports[0]},127.0.0.1:${this.#ports[1]}/handoff`;
  }

  /** Kills the primary without a chance to react. */
  async killPrimary(): Promise<void> {
    const pid = (await run("head", "-1", `${this.#folder}/primary/postmaster.pid`)).trim();
    Deno.kill(Number(pid), "SIGKILL");
  }

  async promote(): Promise<void> {
    await run(`${BIN}/pg_ctl`, "promote", "-w", "-D", `${this.#folder}/standby`);
  }

  async close(): Promise<void> {
    for (const name of ["primary", "standby"]) {
      await run(`${BIN}/pg_ctl`, "stop", "-m", "immediate", "-D", `${this.#folder}/${name}`).catch(() => {});
    }
    await run("rm", "-rf", this.#folder);
  }

  async #startPrimary(): Promise<void> {
    const data = `${this.#folder}/primary`;
    await run(`${BIN}/initdb`, "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8");
    await this.#start("primary", this.#ports[0]);
    await this.#query("create database handoff");
  }

  async #startStandby(): Promise<void> {
    const from = `host=127.0.0.1 port=${this.#ports[0]} user=postgres application_name=standby`;
    await run(`${BIN}/pg_basebackup`, "-D", `${this.#folder}/standby`, "-R", "-X", "stream", "-d", from);
    await this.#start("standby", this.#ports[1]);
    // The standby must not inherit this setting, because it has no standby of its own after its
    // promotion.
    await this.#query("alter system set synchronous_standby_names = 'standby'");
    await this.#query("select pg_reload_conf()");
    await this.#query(
      "do $$ begin while not exists (select from pg_stat_replication where sync_state = 'sync') loop " +
        "perform pg_sleep(0.1), pg_stat_clear_snapshot(); end loop; end $$",
    );
  }

  async #start(name: string, port: number): Promise<void> {
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
    const data = `${this.#folder}/${name}`;
    await run(`${BIN}/pg_ctl`, "start", "-w", "-D", data, "-o", options, "-l", `${data}.log`);
  }

  async #query(text: string): Promise<void> {
    const at = ["-h", "127.0.0.1", "-p", String(this.#ports[0]), "-U", "postgres"];
    await run("psql", ...at, "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-c", text);
  }
}

async function run(command: string, ...args: string[]): Promise<string> {
  const [program, ...rest] = [...ROOT ? ["chroot", ROOT, ...AS_POSTGRES] : [], command, ...args];
  const { success, stdout, stderr } = await new Deno.Command(program!, { args: rest, stdin: "null" })
    .output();
  const [told, complaint] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
  if (!success) throw new Error(`${command} failed: ${complaint || told}`);
  return told!;
}
