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
/** Editors of texts put other hyphens in place of the one on the keyboard. */
const HYPHEN = "[-\\u2010\\u2011]";
const REF = new RegExp(
  `(?<![${LATIN}])([A-Z][A-Z0-9]{1,9})${HYPHEN}([1-9]\\d{0,8})(?![${LATIN}]|\\.\\d)`,
  "gu",
);

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
const REVERTS = new RegExp(
  `^(?:Reverts (${REPO})?#([1-9]\\d{0,8})\\s*$|This reverts commit ([0-9a-f]{7,64})\\b)`,
  "gm",
);
/** The title of a revert, and of its revert, which merges the change again. */
const REVERT_TITLE = /^(?:Revert ")*/;

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
  const repeats = (body ?? "").search(REVERTS) >= 0;
  const title = repeats && isTakingBack(pull_request.title)
    ? pull_request.title.replace(/^Revert ".*/s, "")
    : pull_request.title;
  const branch = repeats ? pull_request.head.ref.replace(/^revert-.*/s, "") : pull_request.head.ref;
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

/** The merges that a pull request takes back: by the reverted pull request or commit. */
export interface Reverted {
  pulls: { repo: string; number: number }[];
  /** Beginnings of shas. */
  commits: string[];
}

/** Reads which merges the pull request reverts. The revert of a revert takes back none. */
export function findReverted({ pull_request: { title, body }, repository }: PullRequestEvent): Reverted {
  const lines = isTakingBack(title) ? [...(body ?? "").matchAll(REVERTS)].slice(0, MOST_MENTIONS) : [];
  return {
    pulls: lines.flatMap(([, repo, number]) =>
      number ? [{ repo: (repo ?? repository.full_name).toLowerCase(), number: Number(number) }] : []
    ),
    commits: lines.flatMap(([, , , sha]) => sha ? [sha.slice(0, 40)] : []),
  };
}

/** Tells whether a title with the beginning of a revert is no revert of a revert. */
function isTakingBack(title: string): boolean {
  const times = REVERT_TITLE.exec(title)![0].length / 'Revert "'.length;
  return times === 0 || times % 2 === 1;
}
