import type { PullRequestEvent } from "./_payload.ts";
import { withoutComments } from "./without_comments.ts";

/** The tickets that a pull request names and the issues that it says it closes. */
interface Mentions {
  refs: { key: string; number: number }[];
  /** `repo` is lower-cased. */
  issues: { repo: string; number: number }[];
}

const MOST_MENTIONS = 1000;

/**
 * Letters that may not touch a keyword, because `préfixes #12` is a longer word and not `fixes
 * #12`. Non-Latin letters may, because scripts without spaces put keywords next to their own
 * characters.
 */
const LATIN = "\\p{Script=Latin}\\u0300-\\u036f0-9";
const REF = new RegExp(`(?<![${LATIN}])([A-Z][A-Z0-9]{1,9})-([1-9]\\d{0,8})(?![${LATIN}]|\\.\\d)`, "gu");

const KEYWORD = "(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)";
const REPO = "[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}";
const TARGET = `(?:(?:(${REPO})?#|gh-|https?://[^\\s/]+/(${REPO})/issues/)([1-9]\\d{0,8}))(?!\\w)`;
const CLOSING = new RegExp(`(?<![${LATIN}_])${KEYWORD}:?\\s+${TARGET}`, "giu");
/**
 * Matches closing keywords in a branch name, which can't contain spaces: `fix/#12`, `closes-#12`.
 */
const CLOSING_BRANCH = new RegExp(`(?<![${LATIN}])${KEYWORD}[-_/:]?${TARGET}`, "giu");

/**
 * The line that GitHub or git writes for a revert. The pull request of a revert repeats the title
 * and branch of the change that it reverts.
 */
const REVERTS = new RegExp(`^(?:Reverts (?:${REPO})?#\\d+\\s*$|This reverts commit [0-9a-f]{7,64}\\b)`, "m");

/**
 * Branches that are named after packages and their versions, such as
 * `dependabot/github_actions/actions/checkout-5`.
 */
const PACKAGE_BRANCH = /^(?:dependabot|renovate)\//;

/**
 * Reads title, body and branch. From a revert it leaves out the parts that come from the reverted
 * change. Keys must be capitals in texts; a branch that a person or an agent named may have them in
 * any case.
 */
export function findMentions({ pull_request, repository }: PullRequestEvent): Mentions {
  const { body } = pull_request;
  const isRevert = REVERTS.test(body ?? "");
  const title = isRevert ? pull_request.title.replace(/^Revert ".*/s, "") : pull_request.title;
  const branch = isRevert ? pull_request.head.ref.replace(/^revert-.*/s, "") : pull_request.head.ref;
  // Hidden hints of a template name example tickets.
  const text = `${title}\n${withoutComments(body ?? "")}`;
  const named = PACKAGE_BRANCH.test(branch) ? branch : branch.toUpperCase();
  const refs = [...text.matchAll(REF), ...named.matchAll(REF)];
  const closings = [...text.matchAll(CLOSING), ...branch.matchAll(CLOSING_BRANCH)];
  return {
    refs: refs.slice(0, MOST_MENTIONS).map(([, key, number]) => ({ key: key!, number: Number(number) })),
    issues: closings.slice(0, MOST_MENTIONS).map(([, beside, inUrl, number]) => ({
      repo: (beside ?? inUrl ?? repository.full_name).toLowerCase(),
      number: Number(number),
    })),
  };
}
