/** Lists the licence of every package that the service runs with, from the lock file; `deno task licenses` writes it. */

interface LockedPackage {
  version: string;
  license?: string;
  dev?: boolean;
}

/** Licences that let the packages be used and shipped unchanged beside the project's own code. */
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "Apache-2.0 AND LGPL-3.0-or-later",
  "Apache-2.0 AND LGPL-3.0-or-later AND MIT",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "LGPL-3.0-or-later", // libvips, as a shared library that sharp loads
  "MIT",
  "MIT-0",
  "(MIT OR CC0-1.0)",
  "Unlicense",
]);

/** Packages whose metadata name a file in the place of a licence. Somebody has read the file. */
const READ_IN_FILE: Record<string, string> = { "flatbuffers 1.12.0": "Apache-2.0" };

const LOCK = new URL("../package-lock.json", import.meta.url);

/** The document's text. `refused` names what no one has looked at yet. */
export async function listLicenses(): Promise<{ text: string; refused: string[] }> {
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(await Deno.readTextFile(LOCK));
  const found = Object.entries(lock.packages)
    .filter(([path, { dev }]) => path !== "" && !dev)
    .map(([path, { version, license = "not stated" }]) => {
      const name = `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)} ${version}`;
      return { name, license: READ_IN_FILE[name] ?? license };
    });
  const byLicense = [...Map.groupBy(found, ({ license }) => license)].sort(([a], [b]) => a < b ? -1 : 1);
  const sections = byLicense.map(([license, packages]) => {
    const names = [...new Set(packages.map(({ name }) => name))].sort();
    return `## ${license}\n\n${names.map((name) => `- ${name}`).join("\n")}\n`;
  });
  return {
    text: `# Licences of the packages that the service runs with\n\n${sections.join("\n")}`,
    refused: found.filter(({ license }) => !ALLOWED.has(license)).map(({ name, license }) =>
      `${name}: ${license}`
    ),
  };
}

if (import.meta.main) {
  await Deno.writeTextFile(new URL("./licenses.md", import.meta.url), (await listLicenses()).text);
}
