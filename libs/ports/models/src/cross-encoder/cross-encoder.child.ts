/** The process of a cross-encoder, at low priority, so that comparisons do not slow down other requests. */
import { errorRecord } from '#platform/kernel';
import { beginModelProcess } from '../begin-model-process.ts';
import type { OnnxFiles } from '../onnx-model.ts';
import type { Comparison, FromPassages } from '../passages.child.ts';
import { openBareCrossEncoder } from './bare-cross-encoder.ts';

/** The only argument of the process, as JSON. */
export interface CrossEncoderSetup {
  readonly files: OnnxFiles;
  readonly threads: number;
}

beginModelProcess();

const { files, threads } = JSON.parse(process.argv[2] ?? '') as CrossEncoderSetup;
const opening = openBareCrossEncoder(files, threads);
// Every comparison is answered with this error.
opening.catch(() => {});

const send = (message: FromPassages): void => void process.send?.(message);

process.on('message', async ({ id, question, texts, expiresAt }: Comparison<string>) => {
  try {
    const model = await opening;
    for (const [text, passage] of texts.entries()) {
      if (Date.now() >= expiresAt) break;
      send({ id, text, score: await model.score(question, passage) });
    }
    send({ id, rssBytes: process.memoryUsage.rss() });
  } catch (error) {
    send({ id, error: errorRecord(error) });
  }
});
