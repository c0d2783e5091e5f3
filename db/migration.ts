/** A file of db/migrations/. */
export interface Migration {
  version: number;
  name: string;
  checksum: string;
  text: string;
}
export type Applied = Pick<Migration, "version" | "name" | "checksum">;
