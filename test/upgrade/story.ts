import { eventually, type Mneme } from '../support/mneme.ts';

/** In which the documents of the states are embedded, and to which the unfinished change goes. */
const SERVING_SPACE = 'e5-small-v2-q.1.384';
export const COMING_SPACE = 'bge-small-en-v15-q.1.384';

/** What is done with a state by the version that wrote it and by the one under test. */
export interface Story {
  /** Starts a server on the state, or joins the cluster. */
  readonly start: () => Promise<Mneme>;
  readonly cli: (...args: string[]) => Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  /** Asks the questions of a moment. */
  readonly ask: (mneme: Mneme, moment: string) => Promise<void>;
}

/** Opens the state without a model, and lets its unfinished work end. */
export async function openByWords({ start, cli, ask }: Story): Promise<void> {
  const mneme = await start();
  await viewsServe(mneme);
  await ask(mneme, 'words');
  await workEnds(mneme);
  await summariesAreThere(mneme, cli);
  await ask(mneme, 'words, after');
  await verify(cli);
}

/** The same with the model that served, and goes on with the change to another one that was begun. */
export async function openByVectors({ start, cli, ask }: Story): Promise<void> {
  const mneme = await start();
  await viewsServe(mneme);
  await modelServes(mneme, SERVING_SPACE);
  await ask(mneme, 'vectors');
  await workEnds(mneme);
  await vectorsAreThere(mneme);
  await summariesAreThere(mneme, cli);
  await ask(mneme, 'vectors, after');
  await verify(cli);
  succeeded(await cli('rebuild', '--vector-space', COMING_SPACE));
  await modelServes(mneme, COMING_SPACE);
  await ask(mneme, 'vectors, after the change');
  await verify(cli);
}

/** Awaits that nothing is queued or in process. */
async function workEnds(mneme: Mneme): Promise<void> {
  await eventually(async () => {
    const unfinished = { status: ['queued', 'processing'], limit: 1 };
    const { body } = await mneme.post<{ pagination: { totalItems: number } }>('/v3/documents/list', unfinished);
    return body.pagination.totalItems === 0 ? true : null;
  });
}

/** Documents are embedded at low priority. */
const EMBEDDED_WITHIN_MS = 180_000;

/** Awaits that a question which shares no word with any document finds all of them: by their vectors. */
async function vectorsAreThere(mneme: Mneme): Promise<void> {
  await eventually(async () => {
    const done = { status: ['done'], limit: 1 };
    const { body: list } = await mneme.post<{ pagination: { totalItems: number } }>('/v3/documents/list', done);
    const { body: found } = await mneme.post<{ results: unknown[] }>('/v3/search', { q: 'zyxwv', limit: 100 });
    return found.results.length === list.pagination.totalItems ? true : null;
  }, EMBEDDED_WITHIN_MS);
}

/** Awaits that the documents of the older version have got summaries in the background, once each. */
async function summariesAreThere(mneme: Mneme, cli: Story['cli']): Promise<void> {
  await eventually(async () => ((await cli('doctor')).out.match(/summaries\s+none is missing/) ? true : null));
  const done = { status: ['done'], limit: 100 };
  const { body } = await mneme.post<{ memories: { id: string }[] }>('/v3/documents/list', done);
  for (const { id } of body.memories) {
    const { body: history } = await mneme.get<{ events: { type: string }[] }>(`/v3/documents/${id}/events`);
    expect(history.events.map(({ type }) => type)).toContain('SummaryFormed');
  }
}

export async function viewsServe(mneme: Mneme): Promise<void> {
  await eventually(async () => {
    const { body } = await mneme.get<{ status: string; views: { rebuilding: boolean } }>('/v3/health');
    return body.status === 'ok' && !body.views.rebuilding ? true : null;
  });
}

/** Awaits that questions are embedded by the model of this space. */
async function modelServes(mneme: Mneme, space: string): Promise<void> {
  await eventually(async () => {
    const { body } = await mneme.get<{ search: { model: string | null } }>('/v3/health');
    return body.search.model === space ? true : null;
  });
}

async function verify(cli: Story['cli']): Promise<void> {
  const { out } = succeeded(await cli('replay', '--verify'));
  if (!out.includes('No difference')) throw new Error(`replay --verify found a difference: ${out}`);
}

function succeeded<T extends { readonly code: number; readonly out: string; readonly err: string }>(result: T): T {
  if (result.code !== 0) throw new Error(`The command ended with code ${result.code}: ${result.out}${result.err}`);
  return result;
}
