import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findTestSpeech,
  makeWithFfmpeg,
  spokenRecording,
  spokenText,
  wordErrorRate,
} from '../../../libs/ports/speech/src/testing/test-speech.ts';
import { Mneme } from '../../support/mneme.ts';
import { type Bench, type BenchOptions, type Outcome, SkippedError } from '../support/bench.ts';
import { drained, upload } from '../support/documents.ts';
import { MemoryWatch } from '../support/memory.ts';
import { megabytes } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const TARGET_FACTOR = 0.5;
const TARGET_ERRORS = 0.15;
/** How often the spoken recording is repeated in the film: five minutes. */
const REPETITIONS = 8;
const SPOKEN_SECONDS = 35.5;
const SAMPLE_MS = 20;
const TIMEOUT_MS = 1_800_000;

/** A film with speech, from the upload to done, embedding off. */
export const recordings: Bench = {
  name: 'recordings',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const speech = await findTestSpeech();
    if (speech.missing !== undefined) throw new SkippedError(speech.missing);
    const folder = await mkdtemp(join(tmpdir(), 'mneme-bench-'));
    const mneme = await Mneme.start({ env: { MNEME_MODELS: speech.models } });
    try {
      const times = quick ? 1 : REPETITIONS;
      const film = join(folder, 'film.mp4');
      const sound = ['-stream_loop', String(times - 1), '-i', spokenRecording];
      const picture = ['-f', 'lavfi', '-i', 'testsrc=s=640x360:r=10'];
      makeWithFfmpeg(...picture, ...sound, '-shortest', '-c:v', 'mpeg4', '-c:a', 'aac', '-b:a', '64k', film);
      await mneme.addAndWait(sentence(0));
      const watch = new MemoryWatch(mneme.pid, SAMPLE_MS);
      const content = new Blob([new Uint8Array(await readFile(film))]);
      const begun = performance.now();
      const id = await upload(mneme, { content, name: 'film.mp4', containerTag: 'films' });
      await drained(mneme, 2, { everyMs: 50, timeoutMs: TIMEOUT_MS });
      const seconds = (performance.now() - begun) / 1_000;
      watch.stop();
      const grown = watch.growth;
      const { body } = await mneme.get<{ content: string }>(`/v3/documents/${id}`);
      const factor = seconds / (times * SPOKEN_SECONDS);
      const errors = wordErrorRate(`${await spokenText()} `.repeat(times), body.content);
      progress(`film: ${seconds.toFixed(1)} s, ${(errors * 100).toFixed(1)} % of the words wrong`);
      return {
        rows: [
          {
            what: `MP4 of ${Math.round(times * SPOKEN_SECONDS)} s of speech: time to done, as a share of its duration`,
            measured: `${factor.toFixed(2)}; the serving process grows by ${megabytes(grown)}`,
            target: `≤ ${TARGET_FACTOR}`,
            met: factor <= TARGET_FACTOR,
          },
          {
            what: 'the same: words that are wrong',
            measured: `${(errors * 100).toFixed(1)} %`,
            target: `≤ ${TARGET_ERRORS * 100} %`,
            met: errors <= TARGET_ERRORS,
          },
        ],
        raw: { times, seconds, factor, errors, grown },
      };
    } finally {
      await mneme.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
