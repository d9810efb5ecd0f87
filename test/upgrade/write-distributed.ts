import { join } from 'node:path';
import { Mneme } from '../support/mneme.ts';
import { answersOf, writeAnswers } from './answers.ts';
import { DistributedEngines, readState, writeState } from './distributed.ts';
import { writeStory } from './story.ts';

/** Writes the state of the baseline on distributed engines, and its answers: see README.md. */
const archive = join(import.meta.dirname, 'distributed.zst');
const engines = await DistributedEngines.start();
try {
  const mneme = await Mneme.start({ env: engines.env });
  await writeStory(mneme);
  await mneme.kill();
  await writeState(archive, await engines.copy());
  await mneme.stop();
} finally {
  await engines.stop();
}
const copies = await DistributedEngines.start(await readState(archive));
try {
  const opened = await Mneme.start({ env: copies.env });
  await writeAnswers(join(import.meta.dirname, 'distributed.answers.ndjson'), await answersOf(opened));
  await opened.stop();
} finally {
  await copies.stop();
}
