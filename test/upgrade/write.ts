import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mneme } from '../support/mneme.ts';
import { answersOf, writeAnswers } from './answers.ts';
import { pack, unpack } from './archive.ts';
import { writeStory } from './story.ts';

/** Writes the state of the baseline and its answers: see README.md. */
const folder = await mkdtemp(join(tmpdir(), 'mneme-baseline-'));
const copy = `${folder}-copy`;
const archive = join(import.meta.dirname, 'baseline.zst');
try {
  const mneme = await Mneme.start({ folder });
  await writeStory(mneme);
  await mneme.kill();
  await pack(folder, archive, (path) => !/^(models|uploads)\/|-reserve$|-shm$/.test(path));
  await unpack(archive, copy);
  const opened = await Mneme.start({ folder: copy });
  const answers = await answersOf(opened);
  await opened.stop();
  await writeAnswers(join(import.meta.dirname, 'baseline.answers.ndjson'), answers);
  console.log(`${answers.length} answers`);
} finally {
  for (const one of [folder, copy]) await rm(one, { recursive: true, force: true });
}
