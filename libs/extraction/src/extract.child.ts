/** The child process that reads files and long texts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { contentHash } from '#kernel';
import { serveJobs } from '#pool';
import { chunk } from './chunk.ts';
import { detectKind } from './detect.ts';
import { extract } from './extract.ts';
import type { ExtractionAnswer, ExtractionTask } from './extraction-kind.ts';
import { formMemories } from './memories.ts';
import type { DocumentType, Source } from './port.ts';
import { isUrl } from './url.ts';

serveJobs(async ({ params, input, output }) => {
  const task = params as unknown as ExtractionTask;
  const bytes = readFileSync(input);
  switch (task.task) {
    case 'extract-file': {
      const detected = await detectKind({ ...task.upload, bytes });
      if (!('kind' in detected)) return { outcome: 'unsupported', reason: detected.unsupported, type: detected.type };
      const { fileName } = task.upload;
      return answer({ body: bytes, kind: detected.kind, fileName, documentDate: null }, detected.type, output);
    }
    case 'extract-text': {
      const body = bytes.toString(task.encoding);
      if (isUrl(body)) return { outcome: 'url' };
      return answer({ body, kind: 'text', fileName: null, documentDate: null }, 'text', output);
    }
    case 'split': {
      const text = bytes.toString(task.encoding);
      writeFileSync(output, JSON.stringify({ chunks: chunk(text, task.chunkTokens), memories: formMemories(text) }));
      return null;
    }
  }
});

async function answer(source: Source, type: DocumentType, output: string) {
  const { text, title, summary } = await extract(source);
  const characters = text.length;
  const isInput = text === source.body;
  if (!isInput) writeFileSync(output, text);
  const written = isInput ? null : { characters, hash: contentHash(text) };
  return { outcome: 'extracted', type, title, summary, written, characters } satisfies ExtractionAnswer;
}
