import { Agent } from 'node:http';
import { isoTime } from '#platform/kernel';
import { Mneme } from '../../support/mneme.ts';
import { type Bench, type BenchOptions, expectStatus, type Outcome } from '../support/bench.ts';
import { accepted, drained, modelReady } from '../support/documents.ts';
import { searchMemories, textsFrom } from '../support/memories.ts';
import { findModel } from '../support/model.ts';
import { milliseconds, percentile, whole } from '../support/statistics.ts';

const TAG = 'documents';
/** Passages of a document. */
const PASSAGES = 20;
const MOST_OF_PRESENT = 2;
const FULL = { documents: 500, searches: 200 };
const QUICK = { documents: 50, searches: 20 };

/** Searches of a tag whose documents had other text before, as of a time when they had it, and as it is now. */
export const pastDocuments: Bench = {
  name: 'past-documents',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const { documents, searches } = quick ? QUICK : FULL;
    const model = await findModel();
    const mneme = await Mneme.start({ env: { MNEME_EMBEDDING: 'local', MNEME_MODELS: model.folder } });
    const connection = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      await modelReady(mneme);
      const ids: string[] = [];
      const contentOf = (number: number) => textsFrom(number * PASSAGES, PASSAGES).join('\n\n');
      for (let i = 0; i < documents; i++) {
        const { id } = await accepted<{ id: string }>(mneme, '/v3/documents', {
          ...{ content: contentOf(i), containerTag: TAG },
        });
        ids.push(id);
      }
      await drained(mneme, documents);
      progress(`${documents} documents added`);
      const asOf = isoTime(Date.now());
      for (const [i, id] of ids.entries()) {
        const { status } = await mneme.request('PATCH', `/v3/documents/${id}`, { content: contentOf(documents + i) });
        expectStatus(status, 200, 'PATCH /v3/documents/{id}');
      }
      await drained(mneme, documents);
      progress('searching');
      const [present, past]: [number[], number[]] = [[], []];
      for (let i = 0; i < searches; i++) {
        const number = documents * PASSAGES + i;
        present.push(await searchMemories(mneme, connection, TAG, number, { kind: 'present' }));
        past.push(await searchMemories(mneme, connection, TAG, i, { kind: 'past', asOf }));
      }
      return outcome(documents * PASSAGES, present, past);
    } finally {
      connection.destroy();
      await mneme.stop();
    }
  },
};

function outcome(passages: number, present: readonly number[], past: readonly number[]): Outcome {
  const [now, before] = [percentile(present, 0.5), percentile(past, 0.5)];
  const multiple = before / now;
  return {
    rows: [
      {
        what: `search with \`asOf\` in a tag of ${whole(passages)} passages that took the place of as many, as a multiple of one without`,
        measured: `p50 ${multiple.toFixed(2)} × (${milliseconds(before)} and ${milliseconds(now)})`,
        target: `p50 ≤ ${MOST_OF_PRESENT} ×`,
        met: multiple <= MOST_OF_PRESENT,
      },
    ],
    raw: { present, past },
  };
}
