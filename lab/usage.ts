/**
 * The resources that a process of this machine has used so far, as Linux reports them in /proc. On
 * other systems the figures are left out.
 */
export interface Usage {
  /** The time of the process and of the PostgreSQL backends that work for it. */
  cpuSeconds: number;
  residentBytes: number;
}

const TICKS_PER_SECOND = 100;

export async function readUsage(pid: number, backends: readonly number[] = []): Promise<Usage | null> {
  const own = await cpuSeconds(pid);
  if (own === null) return null;
  const others = await Promise.all(backends.map(cpuSeconds));
  return {
    cpuSeconds: others.reduce<number>((sum, seconds) => sum + (seconds ?? 0), own),
    residentBytes: await residentBytes(pid),
  };
}

async function cpuSeconds(pid: number): Promise<number | null> {
  const text = await readProc(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The second field is the name in parentheses, which may contain spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readProc(`/proc/${pid}/status`);
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status ?? "")?.[1] ?? 0) * 1024;
}

async function readProc(path: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
