import { isDeepStrictEqual } from 'node:util';
import { eventually, type Mneme } from './mneme.ts';

/** A read waits this long at least for the views to show earlier writes, and may lag if they do not within this time. Milliseconds. */
const LONGEST_WAIT = 1_000;
/** Documents of a caller that are not deleted: 20 at the most, so that one answer holds all of them. */
const KEPT = 20;

export interface Changing {
  /** Rejects with the first answer that lags behind what was acknowledged. Returns how many documents were added. */
  stop(): Promise<number>;
}

/**
 * Adds and deletes documents until stop(), with three callers at the same time, and checks after each acknowledged change
 * that gets, lists and searches show exactly what the caller has.
 * @param readFrom the process that answers lists and searches. Default: the one that is written to
 */
export function keepChanging(mneme: Mneme, readFrom: Mneme = mneme): Changing {
  const stopping = new AbortController();
  const callers = Promise.all(['a', 'b', 'c'].map((name) => change(mneme, readFrom, `kept ${name}`, stopping)));
  callers.catch(() => {});
  return {
    stop: async () => {
      stopping.abort();
      return (await callers).reduce((sum, added) => sum + added, 0);
    },
  };
}

async function change(mneme: Mneme, readFrom: Mneme, tag: string, stopping: AbortController): Promise<number> {
  const live: string[] = [];
  let added = 0;
  try {
    for (; !stopping.signal.aborted; added += 1) {
      const id = await mneme.add(`Pelican ${added} of ${tag} dives.`, { containerTag: tag });
      live.push(id);
      await expectListed(readFrom, tag, live);
      expect(await mneme.settled(id)).toMatchObject({ status: 'done' });
      await expectFound(readFrom, tag, live);
      if (added % 3 === 0 || live.length > KEPT) {
        const [gone] = live.splice(0, 1) as [string];
        expect((await mneme.request('DELETE', `/v3/documents/${gone}`)).status).toBe(204);
        expect((await mneme.get(`/v3/documents/${gone}`)).status).toBe(404);
        await expectFound(readFrom, tag, live);
        await expectListed(readFrom, tag, live);
      }
    }
  } catch (error) {
    stopping.abort();
    throw error;
  }
  return added;
}

function expectListed(mneme: Mneme, tag: string, live: readonly string[]): Promise<void> {
  return expectCurrent(
    async () => {
      const { status, body } = await mneme.post<{ memories: { id: string }[]; pagination: { totalItems: number } }>(
        '/v3/documents/list',
        { containerTags: [tag], limit: 100 },
      );
      return { status, total: body.pagination?.totalItems, ids: body.memories?.map(({ id }) => id).sort() };
    },
    { status: 200, total: live.length, ids: live.toSorted() },
  );
}

async function expectFound(mneme: Mneme, tag: string, live: readonly string[]): Promise<void> {
  const { status, body } = await mneme.post<{ results: { documentId: string }[] }>('/v3/search', {
    ...{ q: 'pelican dives', containerTags: [tag], limit: 100, chunkThreshold: 0, documentThreshold: 0 },
  });
  expect({ status, ids: body.results?.map(({ documentId }) => documentId).sort() }).toEqual({
    ...{ status: 200, ids: live.toSorted() },
  });
}

async function expectCurrent<T>(read: () => Promise<T>, wanted: T): Promise<void> {
  await eventually(async () => {
    const asked = performance.now();
    const answer = await read();
    const hasWaited = performance.now() - asked >= LONGEST_WAIT;
    if (hasWaited && !isDeepStrictEqual(answer, wanted)) return null;
    expect(answer).toEqual(wanted);
    return true;
  });
}
