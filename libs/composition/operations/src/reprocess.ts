import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import { decideReread, type Live, lossIn, type NotReread } from '#features/documents';
import type { Config } from '#platform/config';
import { type JsonObject, type OrganizationId, systemScope } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import { EXTRACTION_VERSION } from '#processing/extraction';
import { DOCUMENT_TYPES } from '#read-side/views';
import { documentRows } from './document-rows.ts';
import { type OperationsContext, OperatorError, textOf } from './operation.ts';

/** Documents that are read again at the same time, so that new ones do not wait behind many. */
const AT_ONCE = 20;
const POLL_MS = 250;
/** Longest wait for views that are behind the log, for example because they are rebuilt. */
const CATCH_UP_MS = 10 * 60_000;

/** @throws OperatorError if there is no such kind, or nothing that would read the files */
export function checkReprocess({ natsUrl }: Pick<Config, 'natsUrl'>, input: JsonObject): void {
  kindIn(input);
  // Without a bus of their own, documents are read by the server alone.
  if (natsUrl === null) throw new OperatorError('Start the server first: it reads the documents.');
}

function kindIn({ kind }: JsonObject): string {
  const name = textOf(kind);
  if (name !== null && (DOCUMENT_TYPES as readonly string[]).includes(name)) return name;
  throw new OperatorError(`There is no kind ${name}; known are ${DOCUMENT_TYPES.join(', ')}`);
}

interface NamedDocument {
  readonly organization: OrganizationId;
  readonly id: string;
}

/** `changed`: read again, with another text than before. */
type Outcome = 'read' | 'changed' | 'failed' | NotReread | 'forbidden';

/**
 * Has the stored files of a kind read again that a lower version of the extraction has read. May be aborted and called again:
 * the documents themselves say which version has read them. Each line has the counts so far; the last one has `done`.
 */
export async function* reprocess(
  context: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const kind = kindIn(input);
  const named = await documentsOf(context, kind);
  const counts = new Map<Outcome, number>();
  const count = (outcome: Outcome): number => counts.get(outcome) ?? 0;
  const line = (phase: 'read' | 'done'): JsonObject => ({
    ...{ phase, kind, documents: [...counts.values()].reduce((sum, one) => sum + one, 0), of: named.length },
    ...{ read: count('read') + count('changed'), changed: count('changed'), failed: count('failed') },
    current: count('current'),
    leftOut: { withTexts: count('has_texts'), inWork: count('in_work'), failedBefore: count('has_failed') },
  });
  const giveUp = new AbortController();
  const ended = AbortSignal.any([signal, giveUp.signal]);
  let isWorking = true;
  const reading = pLimit(AT_ONCE)
    .map(named, async (document) => {
      const outcome = await readAgain(context, document, ended);
      if (outcome !== null) counts.set(outcome, count(outcome) + 1);
    })
    .finally(() => {
      isWorking = false;
    });
  reading.catch(() => {});
  try {
    while (isWorking) {
      yield line('read');
      await Promise.race([reading, pause(POLL_MS)]);
    }
    await reading;
  } finally {
    giveUp.abort();
  }
  yield { ...line('done'), done: !signal.aborted };
}

/**
 * Lists all at once, because a document of which the kind changes would move others to a page that was listed before.
 * @throws OperatorError if the views do not show them
 */
async function documentsOf(context: OperationsContext, kind: string): Promise<readonly NamedDocument[]> {
  const { storage, views } = context.parts;
  if (!(await views.progress.reached(await storage.store.head(), CATCH_UP_MS))) {
    throw new OperatorError('The views do not show all documents yet. Run the command again later.');
  }
  const documents: NamedDocument[] = [];
  for await (const { organization, id } of documentRows(context, { types: [kind], stages: null, sort: 'createdAt' })) {
    documents.push({ organization, id });
  }
  return documents;
}

/** Waits until the document is done or failed. Null: the signal has aborted. */
async function readAgain(
  { parts: { documents } }: OperationsContext,
  { organization, id }: NamedDocument,
  signal: AbortSignal,
): Promise<Outcome | null> {
  if (signal.aborted) return null;
  const scope = systemScope(organization);
  let textBefore: Live['extracted'] = null;
  try {
    const restarted = await documents.change(scope, id, systemCause(), (state) => {
      if (state.status === 'live') textBefore = state.extracted;
      return decideReread(state, EXTRACTION_VERSION);
    });
    if (!restarted.ok) return restarted.error;
    while (!signal.aborted) {
      const state = await documents.load(scope, id);
      if (state.status !== 'live') return 'not_found';
      if (state.stage === 'failed') return 'failed';
      if (state.stage === 'done') return isDeepStrictEqual(state.extracted, textBefore) ? 'read' : 'changed';
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    return null;
  } catch (error) {
    // The key that it is sealed with is gone, which its record shows.
    if (lossIn(error) === null) throw error;
    return 'failed';
  }
}
