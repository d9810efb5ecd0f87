import { setTimeout as pause } from 'node:timers/promises';
import { Mneme } from '../../support/mneme.ts';
import type { Bench, BenchOptions, Outcome, Row } from '../support/bench.ts';
import { drained, upload } from '../support/documents.ts';
import { csv, textDocx, textPdf } from '../support/files.ts';
import { MemoryWatch } from '../support/memory.ts';
import { megabytes, seconds, whole } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const TARGET_PAGES_PER_SECOND = 40;
const TARGET_DOCX_PER_SECOND = 5;
const TARGET_CSV_SECONDS = 10;
const TARGET_GROWTH_BYTES = 100_000_000;
const SAMPLE_MS = 20;
const TIMEOUT_MS = 600_000;
/** Uploads at once. */
const CONNECTIONS = 4;

interface File {
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

interface Measured {
  readonly seconds: number;
  /** How much more memory the serving process took than before, bytes. */
  readonly grown: number;
}

/** PDF, Word documents and a large table, from the upload until a search finds them, embedding off. */
export const files: Bench = {
  name: 'files',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const pages = quick ? 20 : 200;
    const pdfs = Array.from({ length: 4 }, (_, i) => file(`${i}.pdf`, textPdf(pages, i * pages * 100)));
    const documents = Array.from({ length: quick ? 20 : 100 }, (_, i) => file(`${i}.docx`, textDocx(i * 1_000)));
    const rows = quick ? 10_000 : 100_000;
    const table = file('orders.csv', Buffer.from(csv(rows)));
    const ofPdf = await measured(progress, 'PDF', pdfs);
    const ofDocx = await measured(progress, 'DOCX', documents);
    const ofCsv = await measured(progress, 'CSV', [table]);
    const pagesPerSecond = (pages * pdfs.length) / ofPdf.seconds;
    const docxPerSecond = documents.length / ofDocx.seconds;
    return {
      rows: [
        {
          what: `text PDF, ${pdfs.length} files of ${pages} pages of 40 lines: pages per second from the upload to done`,
          measured: `${whole(pagesPerSecond)}/s`,
          target: `≥ ${TARGET_PAGES_PER_SECOND}/s`,
          met: pagesPerSecond >= TARGET_PAGES_PER_SECOND,
        },
        {
          what: `${documents.length} DOCX of five pages: documents per second to done`,
          measured: `${docxPerSecond.toFixed(1)}/s`,
          target: `≥ ${TARGET_DOCX_PER_SECOND}/s`,
          met: docxPerSecond >= TARGET_DOCX_PER_SECOND,
        },
        {
          what: `CSV of ${whole(rows)} rows of eight columns (${megabytes(table.content.length)}): to done`,
          measured: seconds(ofCsv.seconds),
          target: `≤ ${TARGET_CSV_SECONDS} s`,
          met: ofCsv.seconds <= TARGET_CSV_SECONDS,
        },
        growth([ofPdf, ofDocx, ofCsv]),
      ],
      raw: { pages, ofPdf, ofDocx, rows, ofCsv },
    };
  },
};

function growth(all: readonly Measured[]): Row {
  const most = Math.max(...all.map(({ grown }) => grown));
  return {
    what: 'growth of the serving process while these PDF, DOCX and CSV are processed, each on a new server',
    measured: all.map(({ grown }) => megabytes(grown)).join(', '),
    target: `≤ ${megabytes(TARGET_GROWTH_BYTES)}`,
    met: most <= TARGET_GROWTH_BYTES,
  };
}

const file = (name: string, content: Uint8Array): File => ({ name, content: new Uint8Array(content) });

/** Uploads files to a new server and waits until all are done. */
async function measured(progress: BenchOptions['progress'], what: string, all: readonly File[]): Promise<Measured> {
  const mneme = await Mneme.start();
  try {
    await mneme.addAndWait(sentence(0));
    const watch = new MemoryWatch(mneme.pid, SAMPLE_MS);
    progress(`${what}: ${whole(all.length)} files`);
    const begun = performance.now();
    const left = [...all];
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let next = left.pop(); next !== undefined; next = left.pop()) {
          await upload(mneme, { content: new Blob([next.content]), name: next.name, containerTag: 'files' });
        }
      }),
    );
    await drained(mneme, all.length + 1, { everyMs: 50, timeoutMs: TIMEOUT_MS });
    const took = (performance.now() - begun) / 1_000;
    // What is freed is returned to the system a little later.
    await pause(SAMPLE_MS * 2);
    watch.stop();
    const grown = watch.growth;
    progress(`${what}: ${seconds(took)}, ${megabytes(grown)} more memory`);
    return { seconds: took, grown };
  } finally {
    await mneme.stop();
  }
}
