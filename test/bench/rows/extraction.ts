import { setTimeout as pause } from 'node:timers/promises';
import type { Mneme } from '../../support/mneme.ts';
import type { BenchOptions, Outcome } from '../support/bench.ts';
import { upload } from '../support/documents.ts';
import type { Installation, InstallationBench } from '../support/installations.ts';
import { megabytes, percentile, seconds } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const FILES = 12;
const BYTES = 12_000_000;
const TARGET_SECONDS = 2;
const BETWEEN_MS = 200;
const BETWEEN_LOOKS_MS = 10;
/** Small documents that are measured at the most. */
const MOST = 600;

/** Time until small documents are done while large files of other tags are processed, of which one is damaged. */
export const extraction: InstallationBench = {
  name: 'extraction',
  async run({ quick, progress }: BenchOptions, installation: Installation): Promise<Outcome> {
    const bytes = quick ? 1_000_000 : BYTES;
    const files = Array.from({ length: FILES }, (_, i) => new Blob([html(bytes, i)], { type: 'text/html' }));
    const mneme = await installation.start();
    try {
      progress(`uploading ${FILES} files`);
      const ids = await Promise.all(
        files.map((content, i) => upload(mneme, { content, name: `${i}.html`, containerTag: `files ${i}` })),
      );
      const broken = new Blob(['%PDF-1.7 and nothing else'], { type: 'application/pdf' });
      const damaged = await upload(mneme, { content: broken, name: 'damaged.pdf', containerTag: 'damaged' });
      const took: number[] = [];
      const isOpen = async () => (await Promise.all(ids.map((id) => statusOf(mneme, id)))).some((s) => s !== 'done');
      while (took.length < MOST && (await isOpen())) {
        const begun = performance.now();
        const id = await mneme.add(sentence(took.length), { containerTag: 'small' });
        while ((await statusOf(mneme, id)) !== 'done') await pause(BETWEEN_LOOKS_MS);
        took.push((performance.now() - begun) / 1_000);
        await pause(BETWEEN_MS);
      }
      const { status } = await mneme.settled(damaged);
      if (status !== 'failed') throw new Error(`the damaged file is ${String(status)}`);
      const slowest = percentile(took, 1);
      return {
        rows: [
          {
            what: `small documents, from the add until done, while ${FILES} HTML files of ${megabytes(bytes)} are processed`,
            measured: `p50 ${seconds(percentile(took, 0.5))}, slowest ${seconds(slowest)} of ${took.length}`,
            target: `≤ ${TARGET_SECONDS} s`,
            met: slowest <= TARGET_SECONDS,
          },
        ],
        raw: { took },
      };
    } finally {
      await mneme.stop();
    }
  },
};

function html(bytes: number, file: number): string {
  const parts: string[] = [];
  for (let i = 0, size = 0; size < bytes; i += 1) {
    const part = `<p>${sentence(file * 1e6 + i)}</p>\n`;
    parts.push(part);
    size += part.length;
  }
  return `<html><body>${parts.join('')}</body></html>`;
}

/** From the events, because the record of a large document is answered with all of its text. */
async function statusOf(mneme: Mneme, id: string): Promise<'open' | 'done'> {
  const { body } = await mneme.get<{ events: readonly { type: string }[] }>(`/v3/documents/${id}/events`);
  const types = body.events.map(({ type }) => type);
  if (types.includes('ProcessingFailed')) throw new Error(`${id} has failed`);
  return types.includes('DocumentIndexed') ? 'done' : 'open';
}
