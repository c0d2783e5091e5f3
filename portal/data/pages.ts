/** Reads all pages of a list that is short for nearly everybody. */
export async function readAll<Page extends { next_cursor: string | null }>(
  read: (at: { cursor?: string }) => Promise<Page>,
): Promise<Page[]> {
  const pages = [await read({})];
  for (let cursor = pages[0]!.next_cursor; cursor !== null; cursor = pages.at(-1)!.next_cursor) {
    pages.push(await read({ cursor }));
  }
  return pages;
}

/** The page after a page, for lists that are read page by page. */
export const nextPage = {
  getNextPageParam: ({ next_cursor }: { next_cursor: string | null }) => next_cursor ?? undefined,
};
