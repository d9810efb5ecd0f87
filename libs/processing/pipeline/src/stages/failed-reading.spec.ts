import type { Live } from '#features/documents';
import { ChildEndedError, type Job, type Pool } from '#platform/child-jobs';
import type { Fetch } from '#platform/fetch';
import { type Json, newId, systemScope } from '#platform/kernel';
import { NO_RESOURCES } from '#processing/extraction';
import { addPage } from '../../../../../test/support/add-page.ts';
import { ORGANIZATION, openPipeline, type Pipeline } from '../../../../../test/support/pipeline.ts';
import { until } from '../../../../platform/kernel/src/testing/eventually.ts';

/** A picture of text behind a URL, in which a child finishes one part at a time and ends. */

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
const SCOPE = systemScope(ORGANIZATION);

/** How many parts the next child finishes. */
let finishes: number;
/** Appended to the picture, so that each fetch gives other bytes. */
let fetches: number;
let pipeline: Pipeline;
let id: string;
beforeEach(async () => {
  [finishes, fetches] = [1, 0];
  const pool = {
    run: async (job: Job, use: (result: { answer: Json; output: string }) => Promise<unknown>) => {
      const { names } = job.params as { names?: readonly string[] };
      if (names === undefined) {
        return use({ answer: { outcome: 'pictures', kind: 'image', names: ['1', '2', '3'] }, output: '' });
      }
      for (const name of names.slice(0, finishes)) job.onReport?.([name, `Text of ${name}`]);
      finishes = 0;
      throw new ChildEndedError('the child ended');
    },
    close: async () => {},
  } as unknown as Pool;
  const fetch: Fetch = {
    get: async (url, _request, use) => {
      fetches += 1;
      const body = (async function* () {
        yield Buffer.concat([PNG, Buffer.from(`${fetches}`)]);
      })();
      const headers = { contentType: 'image/png', contentDisposition: null, etag: null, lastModified: null };
      return use({ url, status: 200, ...headers, body });
    },
  };
  const resources = async () => ({ ...NO_RESOURCES, ocr: { languages: ['eng'], folders: [] } });
  // The tests deliver what is dispatched to the queue.
  const intercept = (work: string, _: unknown, run: () => Promise<void>) =>
    work === 'recognize' ? Promise.resolve() : run();
  pipeline = await openPipeline({ pool, fetch, resources, intercept });
  id = newId();
  await addPage(pipeline, id, 'https://site.test/scan.png');
});
afterEach(() => pipeline.close());

async function messageOfReading() {
  const found = await until(() => pipeline.bus.seen.find(({ work }) => work === 'recognize'));
  return found!.message;
}
const kept = () => pipeline.blobs.get(`${ORGANIZATION}/${id}/reading`);
const document = async () => (await pipeline.documents.load(SCOPE, id)) as Live;

test('what was read of a document goes when it fails for good', async () => {
  const message = await messageOfReading();
  await expect(pipeline.stages.run('recognize', message, 1)).rejects.toThrow('the child ended');
  expect(String(await kept())).toContain('Text of 1');
  await pipeline.stages.run('recognize', message, 3);
  expect(await document()).toMatchObject({ stage: 'failed', error: { code: 'stage_crashed' } });
  expect(await kept()).toBeNull();
});

test('a reading whose bytes differ at each fetch does not begin again for ever', async () => {
  const message = await messageOfReading();
  let attempts = 0;
  while ((await document()).stage !== 'failed' && attempts < 10) {
    finishes = 1;
    attempts += 1;
    await pipeline.stages.run('recognize', message, 1).catch(() => undefined);
  }
  expect(attempts).toBeLessThan(10);
  expect(await document()).toMatchObject({ stage: 'failed', error: { code: 'stage_crashed' } });
  expect(await kept()).toBeNull();
});
