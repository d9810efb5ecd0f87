export interface Search {
  readonly title: string;
  readonly path: string;
  /** Has no results by words only. */
  readonly byMeaning?: true;
  readonly body: Readonly<Record<string, unknown>> & { readonly q: string };
}

/** One search of each kind. */
export const SEARCHES: readonly Search[] = [
  {
    title: 'Memories of all tags: a question about a conversation',
    path: '/v4/search',
    body: { q: 'When does the train from Braga to Lisbon leave?', limit: 3, threshold: 0.5 },
  },
  {
    title: 'By meaning: query and result share no word',
    path: '/v4/search',
    body: { q: 'livestock escaped from the pasture', limit: 1, threshold: 0.5 },
    byMeaning: true,
  },
  {
    title: 'By words: an identifier, which has no meaning to a model',
    path: '/v4/search',
    body: { q: 'FW-1187', limit: 1, threshold: 0.6 },
  },
  {
    title: 'Documents with their passages, filtered by metadata: chats of 2025',
    path: '/v3/search',
    body: {
      q: 'what did it cost?',
      limit: 2,
      filters: {
        AND: [
          { key: 'kind', value: 'chat' },
          { key: 'year', value: '2025', filterType: 'numeric', numericOperator: '>=' },
        ],
      },
    },
  },
  {
    title: 'Chunks and memories of one tag',
    path: '/v4/search',
    body: { q: 'first geese of the year', containerTag: 'marsh', searchMode: 'hybrid', limit: 2, threshold: 0.3 },
  },
  {
    title: 'The profile of one tag: its newest memories and the results of a query',
    path: '/v4/profile',
    body: { q: 'Is bed 4 working again?', containerTag: 'greenhouse', limit: 1, threshold: 0.3 },
  },
];
