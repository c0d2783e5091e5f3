/** The page after a page, for lists that are read page by page. */
export const nextPage = {
  getNextPageParam: ({ next_cursor }: { next_cursor: string | null }) => next_cursor ?? undefined,
};
