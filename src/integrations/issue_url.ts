import type { Config } from "../core/config.ts";
import { webUrl } from "./_client.ts";

/** An issue's repository and number. */
export interface IssuePlace {
  repo: string;
  number: number;
}

/** The address of an issue's page at the code host. */
export function issueUrl(config: Config, { repo, number }: IssuePlace): string {
  return `${webUrl(config)}/${repo}/issues/${number}`;
}
