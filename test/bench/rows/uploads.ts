import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Mneme, OWNER_KEY } from '../../support/mneme.ts';
import type { Bench, BenchOptions, Outcome } from '../support/bench.ts';
import { upload } from '../support/documents.ts';
import { MemoryWatch } from '../support/memory.ts';
import { megabytes, seconds } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const FILES = 16;
/** The others are binary, and fail as such. */
const TEXTS = 6;
const TIMEOUT_MS = 3_600_000;
const TARGET_BYTES = 200_000_000;
const SAMPLE_MS = 20;
/** Pause between two looks at a document. */
const LOOK_MS = 1_000;
/** Characters in which the status of an answer is. */
const BEGIN = 2_000;

/** Growth of the serving process while files of the greatest size are uploaded at once, until all are processed. */
export const uploads: Bench = {
  name: 'uploads',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const bytes = quick ? 5_242_880 : 52_428_800;
    const folder = await mkdtemp(join(tmpdir(), 'mneme-bench-uploads-'));
    const mneme = await Mneme.start();
    try {
      progress('writing the files');
      const binary = join(folder, 'sensor.bin');
      const text = join(folder, 'notes.txt');
      await writeBinary(binary, bytes);
      await writeText(text, bytes);
      await mneme.addAndWait(sentence(0));
      const watch = new MemoryWatch(mneme.pid, SAMPLE_MS);
      const begun = performance.now();
      const since = () => (performance.now() - begun) / 1_000;
      const ids = await Promise.all(
        Array.from({ length: FILES }, (_, i) => uploadFile(mneme, i < TEXTS ? text : binary, i)),
      );
      const accepted = since();
      const atAccept = watch.growth;
      progress(`accepted after ${seconds(accepted)}, at most ${megabytes(atAccept)} more`);
      await Promise.all(ids.map((id) => processed(mneme, id)));
      const took = since();
      watch.stop();
      const grown = watch.growth;
      return {
        rows: [
          {
            what: `${FILES} uploads of ${megabytes(bytes)} at once, a third of them text: growth of the serving process until all are processed`,
            measured: `${megabytes(grown)}: ${megabytes(atAccept)} until accepted after ${seconds(accepted)}, processed after ${seconds(took)}`,
            target: `≤ ${megabytes(TARGET_BYTES)}`,
            met: grown <= TARGET_BYTES,
          },
        ],
        raw: {
          ...{ before: watch.before, grown, atAccept, accepted, took },
          samples: watch.samples.filter((_, i) => i % 50 === 0),
        },
      };
    } finally {
      await mneme.stop();
      await rm(folder, { recursive: true });
    }
  },
};

/** Looks as callers do: at the document itself, which is answered with all of its text. */
async function processed(mneme: Mneme, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${OWNER_KEY}` };
  for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; await pause(LOOK_MS)) {
    const { body } = await fetch(`${mneme.url}/v3/documents/${id}`, { headers });
    let begin = '';
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      // The status is at the beginning; the text is read and not kept.
      if (begin.length < BEGIN) begin += piece;
    }
    if (/"status":"(done|failed)"/.test(begin.slice(0, BEGIN))) return;
  }
  throw new Error(`${id} is not processed`);
}

const uploadFile = async (mneme: Mneme, path: string, number: number): Promise<string> =>
  upload(mneme, { content: await openAsBlob(path), name: path, containerTag: `files ${number}` });

async function writeBinary(path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'wx');
  for (let left = bytes; left > 0; left -= 65_536) await file.write(randomBytes(Math.min(left, 65_536)));
}

/** Writes sentences, ten to a line and a blank line after every tenth. */
async function writeText(path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'wx');
  for (let left = bytes, line = 0; left > 0; line += 1) {
    const sentences = Array.from({ length: 10 }, (_, i) => sentence(line * 10 + i));
    const text = `${sentences.join(' ')}\n${line % 10 === 9 ? '\n' : ''}`.slice(0, left);
    await file.write(text);
    left -= text.length;
  }
}
