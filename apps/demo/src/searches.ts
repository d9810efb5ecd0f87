export interface Search {
  readonly title: string;
  readonly path: string;
  /** Finds nothing by words alone. */
  readonly byMeaning?: true;
  readonly body: Readonly<Record<string, unknown>> & { readonly q: string };
}

/** One of each kind, so that each way of asking is seen once. */
export const SEARCHES: readonly Search[] = [
  {
    title: 'Memories, over everything: a question about a conversation',
    path: '/v4/search',
    body: { q: 'When does the train from Braga to Lisbon leave?', limit: 3, threshold: 0.5 },
  },
  {
    title: 'By meaning: no word of the question stands in the answer',
    path: '/v4/search',
    body: { q: 'livestock escaped from the pasture', limit: 1, threshold: 0.5 },
    byMeaning: true,
  },
  {
    title: 'An identifier, which tells a model nothing, by its letters',
    path: '/v4/search',
    body: { q: 'FW-1187', limit: 1, threshold: 0.6 },
  },
  {
    title: 'Documents with their passages, filtered by metadata: chats of 2025 only',
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
    title: 'Chunks and memories, within one tag',
    path: '/v4/search',
    body: { q: 'first geese of the year', containerTag: 'marsh', searchMode: 'hybrid', limit: 2, threshold: 0.3 },
  },
  {
    title: 'The profile of one tag: what is newest, and what is found for a question along with it',
    path: '/v4/profile',
    body: { q: 'Is bed 4 working again?', containerTag: 'greenhouse', limit: 1, threshold: 0.3 },
  },
];
