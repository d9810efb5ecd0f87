import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreDbProcess } from '../../support/eventstoredb/database.ts';
import { Mneme, OWNER_KEY } from '../../support/mneme.ts';
import type { Bench, BenchOptions, Outcome, Row } from '../support/bench.ts';
import { countDone } from '../support/documents.ts';
import { load } from '../support/load.ts';
import { processorMilliseconds } from '../support/processor.ts';
import { whole } from '../support/statistics.ts';

/** Of about 15 words. */
const SENTENCES = 8;
const WARM_UP_DOCUMENTS = 600;
const LOOK_EVERY_MS = 50;
const TIMEOUT_MS = 300_000;
/** The last one adds so fast that most of its documents wait. */
const LOADS = [
  { writers: 8, times: 1 },
  { writers: 32, times: 1 },
  { writers: 200, times: 3 },
] as const;
const TARGET = { appends: 3, reads: 0.1, processor: 2 };

interface Figures {
  /** Documents per second, from the first add to the last one done. */
  readonly rate: number;
  /** Own processor time per document. Milliseconds. */
  readonly processor: number;
  /** Requests per document. Null on the embedded engine. */
  readonly requests: { readonly appends: number; readonly reads: number } | null;
}

/** Documents per second and their cost with the log in EventStoreDB (the server of the tests), and embedded. */
export const eventStore: Bench = {
  name: 'event-store',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const documents = quick ? 600 : 4_000;
    progress(`${whole(documents)} documents, embedded`);
    const embedded = await measure(documents, null);
    progress(`${whole(documents)} documents, EventStoreDB`);
    const database = await EventStoreDbProcess.start();
    try {
      const remote = await measure(documents, database);
      return {
        rows: LOADS.flatMap(({ writers }, i) => rowsOf(writers, remote[i], embedded[i])),
        raw: { embedded, remote },
      };
    } finally {
      await database.stop();
    }
  },
};

async function measure(inOneLoad: number, database: EventStoreDbProcess | null): Promise<Figures[]> {
  const mneme = await Mneme.start({ env: database ? { MNEME_EVENTSTORE_URL: database.url } : {} });
  try {
    await addAll(mneme, 32, 0, WARM_UP_DOCUMENTS);
    const figures: Figures[] = [];
    let before = WARM_UP_DOCUMENTS;
    for (const { writers, times } of LOADS) {
      const documents = inOneLoad * times;
      const start = { processor: processorMilliseconds(mneme.pid), requests: await database?.requests() };
      const seconds = await addAll(mneme, writers, before, documents);
      const end = { processor: processorMilliseconds(mneme.pid), requests: await database?.requests() };
      const requests = start.requests &&
        end.requests && {
          appends: (end.requests.appends - start.requests.appends) / documents,
          reads: (end.requests.reads - start.requests.reads) / documents,
        };
      const processor = (end.processor - start.processor) / documents;
      figures.push({ rate: documents / seconds, processor, requests: requests ?? null });
      before += documents;
    }
    return figures;
  } finally {
    await mneme.stop();
  }
}

/**
 * Adds documents and waits until all are done.
 * @param before documents that are done already
 * @returns seconds since the first add
 */
async function addAll(mneme: Mneme, writers: number, before: number, documents: number): Promise<number> {
  let begun = 0;
  const { answered } = await load(
    {
      url: `${mneme.url}/v3/documents`,
      key: OWNER_KEY,
      connections: writers,
      firstSentence: before,
      length: { requests: documents },
      sentences: SENTENCES,
    },
    () => {
      begun = performance.now();
    },
  );
  if (answered !== documents) throw new Error(`${answered} of ${documents} adds were accepted`);
  while ((await countDone(mneme)) < before + documents) {
    if (performance.now() - begun > TIMEOUT_MS) throw new Error(`The documents were not done within ${TIMEOUT_MS} ms`);
    await pause(LOOK_EVERY_MS);
  }
  return (performance.now() - begun) / 1_000;
}

function rowsOf(writers: number, remote: Figures | undefined, embedded: Figures | undefined): Row[] {
  if (!remote?.requests || !embedded) throw new Error('no figures');
  const { appends, reads } = remote.requests;
  const share = remote.processor / embedded.processor;
  return [
    {
      what:
        `the log in EventStoreDB (the tests' server): requests per document of 120 words, embedding off, ` +
        `${writers} writers`,
      measured: `${appends.toFixed(2)} appends, ${reads.toFixed(2)} reads`,
      target: `≤ ${TARGET.appends} appends, ≤ ${TARGET.reads} reads`,
      met: appends <= TARGET.appends && reads <= TARGET.reads,
    },
    {
      what: 'the same: own processor time per document, embedded log in the same run',
      measured: `${remote.processor.toFixed(2)} ms, embedded ${embedded.processor.toFixed(2)} ms: ${share.toFixed(2)} ×`,
      target: `≤ ${TARGET.processor} ×`,
      met: share <= TARGET.processor,
    },
    {
      what: 'the same: documents to done',
      measured: `${whole(remote.rate)}/s, embedded ${whole(embedded.rate)}/s`,
      target: '',
      met: null,
    },
  ];
}
