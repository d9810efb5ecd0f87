import type { Question } from './answers.ts';

/** What is asked of a state: of what was done when it was written, and of what was unfinished. */
export interface Questions {
  readonly settled: readonly Question[];
  readonly unfinished: readonly Question[];
}

export function questionsAt({ settled, unfinished }: Questions, moment: string): readonly Question[] {
  // Of documents and their events no model is asked: once is enough.
  const ofTags = ({ method }: Question) => method === 'POST';
  const ofSearches = ({ path }: Question) => path.endsWith('search');
  if (!moment.includes('after')) return moment === 'words' ? settled : settled.filter(ofTags);
  return moment.includes('change') ? [...settled, ...unfinished].filter(ofSearches) : unfinished;
}

const post = (path: string, body: object): Question => ({ method: 'POST', path, body });
const get = (path: string): Question => ({ method: 'GET', path });

const QUERIES = ['who mends the nets', 'oak beams for the attic', 'quince and medlar', 'when is rye ground'];

/** What is asked of tags: lists, both searches, the profile. */
export function questionsOfTags(tags: readonly string[]): Question[] {
  return tags.flatMap((tag) => [
    post('/v3/documents/list', { containerTags: [tag], limit: 100, includeContent: true }),
    post('/v4/profile', { containerTag: tag }),
    // Every passage with its id.
    post('/v4/search', { q: '*', containerTag: tag, searchMode: 'hybrid', limit: 100 }),
    ...['*', ...QUERIES].flatMap((q) => [
      post('/v4/search', {
        q,
        containerTag: tag,
        searchMode: 'hybrid',
        threshold: 0,
        limit: 5,
        explain: true,
        include: { documents: q === '*' },
      }),
      post('/v3/search', { q, containerTags: [tag], limit: 5 }),
    ]),
  ]);
}

/** What is asked of documents, by id or customId. */
export const questionsOfDocuments = (ids: readonly string[]): Question[] =>
  ids.map((id) => get(`/v3/documents/${encodeURIComponent(id)}`));

/** What happened to documents. */
export const questionsOfEvents = (ids: readonly string[]): Question[] =>
  ids.map((id) => get(`/v3/documents/${encodeURIComponent(id)}/events`));

/** Filters of each kind. */
export const questionsOfFilters = (): Question[] => [
  post('/v3/documents/list', { filters: { AND: [{ key: 'kind', value: 'note' }] }, limit: 100 }),
  post('/v3/documents/list', {
    filters: { OR: [{ key: 'year', value: '2021', filterType: 'numeric', numericOperator: '>=' }] },
    sort: 'updatedAt',
    order: 'asc',
    limit: 4,
    page: 2,
  }),
  post('/v3/documents/list', { filepath: '/harbour/', limit: 100 }),
  post('/v3/documents/list', { customId: 'chat/attic' }),
  post('/v3/documents/list', { status: ['failed'], containerTags: ['failed'], limit: 100 }),
  post('/v3/search', { q: 'pier', filters: { AND: [{ key: 'vip', value: 'true' }] }, containerTags: ['harbour'] }),
  post('/v4/search', { q: 'attic', containerTag: 'chats', filepath: '/nowhere/', threshold: 0 }),
];
