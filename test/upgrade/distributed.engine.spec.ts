import { join } from 'node:path';
import { Mneme } from '../support/mneme.ts';
import { answersOf, readAnswers } from './answers.ts';
import { DistributedEngines, readState } from './distributed.ts';

/** What version 0.1.0 stored in EventStoreDB and NATS is read by this version: see README.md. */

const file = (name: string) => join(import.meta.dirname, name);

let engines: DistributedEngines;
beforeAll(async () => {
  engines = await DistributedEngines.start(await readState(file('distributed.zst')));
});
afterAll(() => engines.stop());

test('with events, keys and blobs of the baseline, it gives the same answers, and unfinished documents are done', async () => {
  const mneme = await Mneme.start({ env: engines.env });
  try {
    expect(await answersOf(mneme)).toEqual(await readAnswers(file('distributed.answers.ndjson')));
    expect(await mneme.cli('replay', '--verify')).toMatchObject({ code: 0 });
  } finally {
    await mneme.stop();
  }
});
