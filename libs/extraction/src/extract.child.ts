/** The child process that reads files and long texts. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { contentHash } from '#kernel';
import { serveJobs } from '#pool';
import { detectKind } from './detect.ts';
import { extract } from './extract.ts';
import type { ExtractionAnswer, ExtractionTask, WrittenList, WrittenLists } from './extraction-kind.ts';
import { extractorOf } from './extractors/registry.ts';
import type { DocumentType, MemoryPassage, Passage, Source } from './port.ts';
import type { ExtractionContext } from './resources.ts';
import { splitText } from './split-text.ts';
import { identitiesOf, unitIdsWith } from './unit-id.ts';
import { isUrl } from './url.ts';
import { decodeWebText, isWebPage, mediaTypeOf } from './web-text.ts';

serveJobs(async ({ params, input, output }) => {
  const task = params as unknown as ExtractionTask;
  const bytes = readFileSync(input);
  switch (task.task) {
    case 'extract-file': {
      const detected = await detectKind({ ...task.upload, bytes });
      if (!('kind' in detected)) return { outcome: 'unsupported', reason: detected.unsupported, type: detected.type };
      const { resources, upload } = task;
      const source = { body: bytes, kind: detected.kind, fileName: upload.fileName, documentDate: null };
      return answer(source, detected.type, output, { context: { path: input, resources } });
    }
    case 'extract-page': {
      const { contentType, url, resources } = task;
      const detected = await detectKind({ bytes, fileName: null, contentType: mediaTypeOf(contentType) });
      if (!('kind' in detected)) return { outcome: 'unsupported', reason: detected.unsupported, type: detected.type };
      const isPage = detected.kind === 'html' || isWebPage({ contentType, start: bytes });
      const source = { kind: isPage ? 'page' : detected.kind, fileName: null, documentDate: null, url };
      const body = extractorOf(detected.kind).reads === 'text' ? decodeWebText(bytes, contentType) : bytes;
      const context = { path: input, resources };
      return answer({ ...source, body }, isPage ? 'webpage' : detected.type, output, { isForeign: true, context });
    }
    case 'extract-text': {
      const body = bytes.toString(task.encoding);
      if (isUrl(body)) return { outcome: 'url' };
      const { kind, fileName } = task;
      return answer({ body, kind, fileName, documentDate: null }, 'text', output);
    }
    case 'split': {
      const text = bytes.toString(task.encoding);
      writeFileSync(output, JSON.stringify(splitText(text, task.chunkTokens, task.sections)));
      return null;
    }
    case 'split-with-ids': {
      const text = bytes.toString(task.encoding);
      const idOf = unitIdsWith(task.unitKey);
      const { chunks, memories } = splitText(text, task.chunkTokens, task.sections);
      const chunkIds = idsOf('chunk', text, chunks, idOf);
      writeFileSync(output, '');
      const answer: WrittenLists = {
        chunks: append(
          output,
          chunks.map(({ start, end, location }, i) => [chunkIds[i], start, end, ...(location ? [location] : [])]),
        ),
        memories: append(output, task.withMemories ? memoriesWithIds(text, memories, idOf) : []),
      };
      return answer;
    }
  }
});

function memoriesWithIds(text: string, memories: readonly MemoryPassage[], idOf: (identity: string) => string) {
  const ids = idsOf('memory', text, memories, idOf);
  return memories.map(({ start, end, speaker, location }, i) => [
    ...[ids[i], start, end, speaker],
    ...(location ? [location] : []),
  ]);
}

function idsOf(
  kind: 'chunk' | 'memory',
  text: string,
  passages: readonly Passage[],
  idOf: (identity: string) => string,
): string[] {
  const texts = passages.map(({ start, end }) => text.slice(start, end));
  return Array.from(identitiesOf(kind, texts), idOf);
}

/** Appends a list as a line of JSON. */
function append(output: string, list: readonly unknown[]): WrittenList {
  const json = JSON.stringify(list);
  appendFileSync(output, `${json}\n`);
  return { length: list.length, bytes: Buffer.byteLength(json), hash: contentHash(json) };
}

interface AnswerOptions {
  /** The input is not the document's content, so the text is always written. */
  readonly isForeign?: boolean;
  readonly context?: ExtractionContext;
}

async function answer(source: Source, type: DocumentType, output: string, options: AnswerOptions = {}) {
  const { isForeign = false, context } = options;
  const { text, ...found } = await extract(source, context);
  const characters = text.length;
  const isInput = !isForeign && text === source.body;
  if (!isInput) writeFileSync(output, text);
  const written = isInput ? null : { characters, hash: contentHash(text) };
  return { outcome: 'extracted', type, ...found, written, characters } satisfies ExtractionAnswer;
}
