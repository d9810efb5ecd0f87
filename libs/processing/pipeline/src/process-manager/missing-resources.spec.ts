import type { DocumentRepository, DocumentState } from '#features/documents';
import { err, type OrganizationId, ok } from '#platform/kernel';
import type { EventStore, RecordedEvent } from '#ports/event-store';
import type { DocumentRow, ViewsReader } from '#read-side/views';
import { MissingResources } from './missing-resources.ts';

const ORGANIZATION = 'o'.repeat(22) as OrganizationId;
const MINUTE = 60_000;

/** Documents that failed for lack of a resource, and the machine that lacks it. */
function situation(failed: Readonly<Record<string, string>>) {
  const documents = new Map(Object.entries(failed));
  const present = new Set<string>();
  const obtainable = new Set<string>();
  const tried: string[] = [];
  const restarted: string[] = [];
  const reads = { lists: 0, loads: 0 };
  const warnings: string[] = [];
  let now = 0;
  let listing: () => void = () => undefined;
  let onRestart: (id: string) => void = () => undefined;
  const stateOf = (id: string) => {
    const resource = documents.get(id);
    const error = resource === undefined ? null : { stage: 'extracting', code: 'model_missing', message: '', resource };
    return { status: 'live', stage: error ? 'failed' : 'done', contentVersion: 1, error } as DocumentState;
  };
  const founded = { envelope: { type: 'OrganizationFounded', organization: ORGANIZATION } } as RecordedEvent;
  const missing = new MissingResources({
    store: { readAll: async () => ({ events: [founded], position: null, end: true }) } as unknown as EventStore,
    views: {
      list: async ({ offset, limit }: Parameters<ViewsReader['list']>[0]) => {
        reads.lists += 1;
        listing();
        const rows = [...documents.keys()].map((id) => ({ id, ...stateOf(id) }) as unknown as DocumentRow);
        return { rows: rows.slice(offset, offset + limit), total: rows.length };
      },
    },
    documents: {
      load: async (_scope, id) => {
        reads.loads += 1;
        return stateOf(id);
      },
      change: (async (_scope, id, _cause, decide) => {
        const decided = decide(stateOf(id));
        if (!decided.ok) return err(decided.error);
        onRestart(id);
        documents.delete(id);
        restarted.push(id);
        return ok({});
      }) as DocumentRepository['change'],
    },
    resources: {
      has: async (name) => present.has(name),
      obtain: async (name) => {
        tried.push(name);
        return obtainable.has(name);
      },
    },
    clock: { now: () => now },
    logger: { warn: (message) => warnings.push(message) },
    signal: new AbortController().signal,
  });
  return {
    missing,
    present,
    obtainable,
    tried,
    restarted,
    reads,
    warnings,
    pass: (ms: number) => {
      now += ms;
    },
    /** The document fails, and the owner passes the event on. */
    fail: (id: string, resource: string, code = 'model_missing') => {
      documents.set(id, resource);
      const envelope = { type: 'ProcessingFailed', code, organization: ORGANIZATION };
      missing.observe({ stream: `document-${ORGANIZATION}_${id}`, envelope } as RecordedEvent);
    },
    failListing: (fault: () => void) => {
      listing = fault;
    },
    onRestart: (act: (id: string) => void) => {
      onRestart = act;
    },
  };
}

const idOf = (number: number) => String(number).padStart(22, '0');

describe('MissingResources', () => {
  it('restarts what failed before its start, each when its own resource is there, and reads nothing in between', async () => {
    const ids = Array.from({ length: 1_200 }, (_, i) => idOf(i));
    const { missing, present, restarted, reads } = situation(
      Object.fromEntries(ids.map((id, i) => [id, i % 2 === 0 ? 'ocr-deu' : 'ffmpeg'])),
    );
    await missing.look();
    const { lists } = reads;
    await missing.look();
    expect(restarted).toEqual([]);
    present.add('ocr-deu');
    await missing.look();
    expect(restarted).toEqual(ids.filter((_, i) => i % 2 === 0));
    present.add('ffmpeg');
    await missing.look();
    await missing.look();
    expect(restarted).toHaveLength(1_200);
    expect(reads).toEqual({ lists, loads: 0 });
  });

  it('restarts what fails later, and not what failed for other reasons or was changed since', async () => {
    const { missing, present, restarted, fail } = situation({});
    await missing.look();
    fail(idOf(1), 'ocr-deu');
    fail(idOf(2), 'ocr-deu', 'extraction_failed');
    fail(idOf(3), 'ocr-deu');
    present.add('ocr-deu');
    await missing.look();
    expect(restarted).toEqual([idOf(1), idOf(3)]);
  });

  it('tries the sources again at each look, once for all documents, and restarts these when one has it', async () => {
    const ids = [idOf(1), idOf(2), idOf(3)];
    const { missing, obtainable, tried, restarted } = situation(
      Object.fromEntries(ids.map((id) => [id, 'whisper-base'])),
    );
    await missing.look();
    await missing.look();
    expect([tried, restarted]).toEqual([['whisper-base', 'whisper-base'], []]);
    obtainable.add('whisper-base');
    await missing.look();
    expect(restarted).toEqual(ids);
  });

  it('pauses longer each time for a document that fails again although the resource is there', async () => {
    const { missing, present, restarted, fail, pass } = situation({ [idOf(1)]: 'ocr-deu' });
    present.add('ocr-deu');
    const pauses: number[] = [];
    await missing.look();
    for (let known = 1; known < 10; known++) {
      fail(idOf(1), 'ocr-deu');
      let pause = 0;
      for (; restarted.length === known; pause++) {
        await missing.look();
        if (restarted.length === known) pass(MINUTE);
        else pause -= 1;
      }
      pauses.push(pause);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('keeps a document that fails again while its restart is recorded', async () => {
    const { missing, present, restarted, fail, pass, onRestart } = situation({ [idOf(1)]: 'ocr-deu' });
    present.add('ocr-deu');
    onRestart((id) => {
      onRestart(() => undefined);
      fail(id, 'ffmpeg');
    });
    await missing.look();
    fail(idOf(1), 'ffmpeg');
    present.add('ffmpeg');
    pass(MINUTE);
    await missing.look();
    expect(restarted).toEqual([idOf(1), idOf(1)]);
  });

  it('lists again after a fault of the views, and warns', async () => {
    const { missing, present, restarted, warnings, failListing } = situation({ [idOf(1)]: 'ffmpeg' });
    present.add('ffmpeg');
    failListing(() => {
      throw new Error('unreachable');
    });
    await missing.look();
    expect(restarted).toEqual([]);
    expect(warnings).toHaveLength(1);
    failListing(() => undefined);
    await missing.look();
    expect(restarted).toEqual([idOf(1)]);
  });
});
