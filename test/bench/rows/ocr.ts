import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import tesseract from 'tesseract.js';
import { pdfOf } from '../../../libs/processing/extraction/src/testing/pdf.ts';
import { pageOf, proseLines } from '../../../libs/processing/extraction/src/testing/pictures.ts';
import { Mneme } from '../../support/mneme.ts';
import type { Bench, BenchOptions, Outcome, Row } from '../support/bench.ts';
import { upload } from '../support/documents.ts';
import { MemoryWatch } from '../support/memory.ts';
import { median, megabytes, milliseconds, percentile, seconds } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const TARGET_SHARE = 1.3;
/** A4 at 200 dpi. */
const SIZE = { width: 1_654, height: 2_339 };
const LINES = 40;
const PAGES = 4;
const SCANS = 20;
const TARGET_P99_MS = 50;
const TARGET_GROWTH_BYTES = 100_000_000;
const BETWEEN_MS = 25;
const IDLE_REQUESTS = 200;
const TIMEOUT_MS = 600_000;

/** Reading of scanned pages, compared with the bare recognizer, and requests meanwhile. Embedding off. */
export const ocr: Bench = {
  name: 'ocr',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const jpeg = await pageOf(proseLines(LINES)).flatten().greyscale().jpeg({ quality: 90 }).toBuffer();
    const bare = await bareRecognizer();
    const mneme = await Mneme.start();
    try {
      await bare.recognize(jpeg);
      // Every child loads the recognizer with its first page.
      await Promise.all(Array.from({ length: PAGES }, () => read(mneme, scan(jpeg, 1))));
      const took: { readonly bare: number; readonly pipeline: number }[] = [];
      for (let round = 0; round < (quick ? 1 : 3); round++) {
        progress(`round ${round + 1}, ${PAGES} pages each way`);
        const ofBare = await timed(async () => {
          for (let page = 0; page < PAGES; page++) await bare.recognize(jpeg);
        });
        const ofPipeline = await timed(() => read(mneme, scan(jpeg, PAGES)));
        took.push({ bare: ofBare / PAGES, pipeline: ofPipeline / PAGES });
      }
      await bare.terminate();
      const [barePage, page] = [median(took.map((one) => one.bare)), median(took.map((one) => one.pipeline))];
      const share = page / barePage;
      const meanwhile = await requestsMeanwhile(mneme, scan(jpeg, 1), quick ? 3 : SCANS, progress);
      return {
        rows: [
          {
            what: `scanned PDF, pages of ${LINES} lines, A4, 200 dpi: time of a page from the upload to done, as a share of the bare recognizer`,
            measured: `${share.toFixed(2)}: ${seconds(page)} of ${seconds(barePage)}`,
            target: `≤ ${TARGET_SHARE}`,
            met: share <= TARGET_SHARE,
          },
          ...meanwhile.rows,
        ],
        raw: { took, ...meanwhile.raw },
      };
    } finally {
      await bare.terminate();
      await mneme.stop();
    }
  },
};

async function bareRecognizer() {
  const weights = dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json'));
  return tesseract.createWorker('eng', tesseract.OEM.LSTM_ONLY, {
    langPath: join(weights, '4.0.0_best_int'),
    cacheMethod: 'none',
  });
}

const scan = (jpeg: Uint8Array, pages: number): Buffer =>
  pdfOf(Array.from({ length: pages }, () => ({ jpeg, ...SIZE })));

async function timed(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return (performance.now() - begun) / 1_000;
}

const uploadScan = (mneme: Mneme, content: Uint8Array): Promise<string> =>
  upload(mneme, { content: new Blob([new Uint8Array(content)]), name: 'scan.pdf', containerTag: 'scans' });

async function read(mneme: Mneme, content: Uint8Array): Promise<void> {
  const { status } = await mneme.settled(await uploadScan(mneme, content), TIMEOUT_MS);
  if (status !== 'done') throw new Error(`a scan is ${status}`);
}

/** Adds and searches on the idle server, and while scans are processed. */
async function requestsMeanwhile(mneme: Mneme, content: Uint8Array, scans: number, progress: BenchOptions['progress']) {
  progress('requests while nothing is processed');
  let sent = 0;
  const idle = await latencies(mneme, () => sent++ < IDLE_REQUESTS);
  const watch = new MemoryWatch(mneme.pid, BETWEEN_MS);
  progress(`requests while ${scans} scans are processed`);
  const ids = await Promise.all(Array.from({ length: scans }, () => uploadScan(mneme, content)));
  let isOpen = true;
  const settled = Promise.all(ids.map((id) => mneme.settled(id, TIMEOUT_MS))).finally(() => {
    isOpen = false;
  });
  const busy = await latencies(mneme, () => isOpen);
  await settled;
  watch.stop();
  const grown = watch.growth;
  const [p99, atRest] = [percentile(busy, 0.99), percentile(idle, 0.99)];
  const target = Math.max(TARGET_P99_MS, 2 * atRest);
  const rows: Row[] = [
    {
      what: `adds and searches while ${scans} scanned PDFs are processed: p99`,
      measured: `${milliseconds(p99)}; ${milliseconds(atRest)} while nothing is processed`,
      target: `≤ ${milliseconds(target)}`,
      met: p99 <= target,
    },
    {
      what: 'growth of the serving process meanwhile',
      measured: megabytes(grown),
      target: `≤ ${megabytes(TARGET_GROWTH_BYTES)}`,
      met: grown <= TARGET_GROWTH_BYTES,
    },
  ];
  return { rows, raw: { idle, busy, grown } };
}

/** Milliseconds of adds and searches, in turn. */
async function latencies(mneme: Mneme, goOn: () => boolean): Promise<readonly number[]> {
  const took: number[] = [];
  for (let i = 0; goOn(); i += 1) {
    const begun = performance.now();
    if (i % 2 === 0) await mneme.add(sentence(i), { containerTag: 'small' });
    else await mneme.post('/v4/search', { q: sentence(i), containerTag: 'small' });
    took.push(performance.now() - begun);
    await pause(BETWEEN_MS);
  }
  return took;
}
