import type { Mneme } from './mneme.ts';

/** Memories that callers record directly, over HTTP. */

export const MEMORIES = '/v4/memories';

export interface Recorded {
  readonly id: string;
  readonly memory: string;
  readonly createdAt: string;
}

export interface Entry extends Recorded {
  readonly version: number;
  readonly isForgotten: boolean;
  readonly rootMemoryId: string;
  readonly history: readonly Recorded[];
}

interface Hit {
  readonly id: string;
  readonly memory?: string;
}

/** Requests for the memories of one tag. */
export function memoriesOf(mneme: () => Mneme, tag: string) {
  const list = async (more: object = {}) => {
    const asked = { containerTags: [tag], ...more };
    return (await mneme().post<{ memoryEntries: Entry[]; pagination: object }>(`${MEMORIES}/list`, asked)).body;
  };
  const search = async (q: string, more: object = {}) => {
    const asked = { q, threshold: 0, containerTag: tag, ...more };
    return (await mneme().post<{ results: Hit[] }>('/v4/search', asked)).body.results;
  };
  return {
    list,
    search,
    texts: async (more: object = {}) => (await list(more)).memoryEntries.map(({ memory }) => memory).sort(),
    found: async (q: string, more: object = {}) => (await search(q, more)).map(({ memory }) => memory),
    record: async (...memories: readonly (string | object)[]): Promise<readonly Recorded[]> => {
      const items = memories.map((one) => (typeof one === 'string' ? { content: one } : one));
      const sent = { containerTag: tag, memories: items };
      const { status, body } = await mneme().post<{ documentId: null; memories: Recorded[] }>(MEMORIES, sent);
      expect([status, body.documentId]).toEqual([201, null]);
      return body.memories;
    },
    forget: (body: object) => mneme().request('DELETE', MEMORIES, { containerTag: tag, ...body }),
    forgetMatching: (body: object) => mneme().post(`${MEMORIES}/forget-matching`, { containerTag: tag, ...body }),
    restore: (...ids: readonly (string | undefined)[]) =>
      mneme().post(`${MEMORIES}/restore`, { containerTag: tag, ids }),
    patch: (body: object) => mneme().request<Entry>('PATCH', MEMORIES, { containerTag: tag, ...body }),
    dynamic: async () => {
      const { body } = await mneme().post<{ profile: { static: string[]; dynamic: string[] } }>('/v4/profile', {
        containerTag: tag,
      });
      return body.profile;
    },
  };
}

/** The types of the events of a memory that concern the memory itself, oldest first. */
export async function historyOf(mneme: Mneme, id: string | undefined): Promise<readonly string[]> {
  const { body } = await mneme.get<{ events: { type: string }[] }>(`${MEMORIES}/${id}/events`);
  return body.events
    .map(({ type }) => type)
    .filter((type) => /^(Memory|Passage|Document(Deleted|Imported))/.test(type));
}
