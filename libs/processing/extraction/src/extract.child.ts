/** The child process that reads files and long texts. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { serveJobs } from '#platform/child-jobs';
import { contentHash, hasCode, type Json } from '#platform/kernel';
import { charsetOf } from './decoding/declared.ts';
import { detectKind } from './detect.ts';
import { extract, extractedFrom } from './extract.ts';
import type { ExtractionAnswer, ExtractionTask, PictureReport, WrittenList, WrittenLists } from './extraction-kind.ts';
import { extractorOf } from './extractors/registry.ts';
import { KnownPictures } from './ocr/picture-texts.ts';
import { readPicture } from './ocr/read-picture.ts';
import type { DocumentType, ExtractedContent, MemoryPassage, Passage, Source, SourceDetails } from './port.ts';
import type { ExtractionContext } from './resources.ts';
import { siteNamed } from './sites/registry.ts';
import type { Site } from './sites/site.ts';
import { splitText } from './split-text.ts';
import { identitiesOf, unitIdsWith } from './unit-id.ts';
import { isUrl } from './url.ts';
import { isWebPage, mediaTypeOf } from './web-text.ts';

serveJobs(async ({ params, input, output }, report) => {
  const task = params as unknown as ExtractionTask;
  const bytes = readFileSync(input);
  switch (task.task) {
    case 'extract-file': {
      const detected = await detectKind({ ...task.upload, bytes });
      if (!('kind' in detected)) return { outcome: 'unsupported', reason: detected.unsupported, type: detected.type };
      const { upload } = task;
      const charset = charsetOf(upload.mimeType) ?? charsetOf(upload.contentType);
      const source = { body: bytes, kind: detected.kind, fileName: upload.fileName, documentDate: null, charset };
      return answer(source, detected.type, output, { context: contextOf(task, input, report) });
    }
    case 'extract-page': {
      const page = { ...task, bytes, context: contextOf(task, input, report) };
      return task.site === null ? answerPage(page, output) : answerSite(siteNamed(task.site.name), page, output);
    }
    case 'read-pictures': {
      const { kind, names, resources } = task;
      const extractor = extractorOf(kind);
      if (extractor.reads === 'text' || !extractor.pictures) throw new Error(`${kind} has no pictures`);
      let read = 0;
      for await (const picture of extractor.pictures(bytes, names)) {
        const text = picture === null ? '' : await readPicture(picture, resources.ocr);
        report([names[read] ?? '', text] satisfies PictureReport);
        read += 1;
      }
      return null;
    }
    case 'extract-text': {
      const body = bytes.toString(task.encoding);
      if (isUrl(body)) return { outcome: 'url' };
      const { kind, fileName, borders } = task;
      return answer({ body, kind, fileName, documentDate: null, borders }, 'text', output);
    }
    case 'split': {
      const text = bytes.toString(task.encoding);
      writeFileSync(output, JSON.stringify(splitText(text, task.chunkTokens, task.sections, task.borders)));
      return null;
    }
    case 'split-with-ids': {
      const text = bytes.toString(task.encoding);
      const idOf = unitIdsWith(task.unitKey);
      const { chunks, memories } = splitText(text, task.chunkTokens, task.sections, task.borders);
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

type Report = (value: Json) => void;
type FileContext = ExtractionContext & { readonly pictures: KnownPictures };

type FileTask = Extract<ExtractionTask, { readonly task: 'extract-file' | 'extract-page' }>;

const contextOf = ({ resources, pictures, spoken = [] }: FileTask, path: string, report: Report): FileContext => ({
  ...{ path, resources, pictures: new KnownPictures(pictures) },
  speech: { before: spoken, keep: (part) => report(part as unknown as Json) },
});

interface FetchedFile extends Extract<ExtractionTask, { readonly task: 'extract-page' }> {
  readonly bytes: Uint8Array;
  readonly context: FileContext;
}

/** @param of the site that it belongs to */
async function answerPage(
  { bytes, contentType, url, fileName, context }: FetchedFile,
  output: string,
  of?: { readonly type: DocumentType; readonly details: SourceDetails },
) {
  const detected = await detectKind({ bytes, fileName: null, contentType: mediaTypeOf(contentType) });
  const type = of?.type ?? detected.type;
  if (!('kind' in detected)) return { outcome: 'unsupported', reason: detected.unsupported, type } as const;
  const isPage = detected.kind === 'html' || isWebPage({ contentType, start: bytes });
  const details = of && { details: of.details };
  const source = { body: bytes, documentDate: null, url, charset: charsetOf(contentType), ...details };
  // A page is known by its title, and any other file by its name.
  if (isPage)
    return answer({ ...source, kind: 'page', fileName: null }, of?.type ?? 'webpage', output, { isForeign: true });
  return answer({ ...source, kind: detected.kind, fileName }, type, output, { isForeign: true, context });
}

async function answerSite(site: Site, page: FetchedFile, output: string) {
  const { type } = site;
  const found = await site.read({ ...page, before: page.site?.before ?? null });
  if ('next' in found) return { outcome: 'next', address: found.next, before: found.before } satisfies ExtractionAnswer;
  if ('unavailable' in found) return { outcome: 'unavailable', reason: found.unavailable, type } as const;
  if ('file' in found) {
    const read = await answerPage(page, output, { type, details: found.file });
    return read.outcome === 'unsupported' ? ({ ...read, reason: found.otherwise } as const) : read;
  }
  return written(extractedFrom(found.readable, null), type, output);
}

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
  readonly context?: FileContext;
}

async function answer(
  source: Source,
  type: DocumentType,
  output: string,
  options: AnswerOptions = {},
): Promise<ExtractionAnswer> {
  const { isForeign = false, context } = options;
  const missing = () => context?.pictures.missing ?? [];
  const extracted = await extract(source, context).catch((error: unknown) => {
    // Without the texts of its pictures a file may hold none.
    if (missing().length === 0 || !hasCode(error, 'extraction_failed')) throw error;
    return null;
  });
  if (extracted === null || missing().length > 0) return { outcome: 'pictures', kind: source.kind, names: missing() };
  const isInput = !isForeign && extracted.text === source.body;
  if (!isInput) return written(extracted, type, output);
  const { text, ...found } = extracted;
  return { outcome: 'extracted', type, ...found, written: null, characters: text.length };
}

function written({ text, ...found }: ExtractedContent, type: DocumentType, output: string) {
  writeFileSync(output, text);
  const characters = text.length;
  const file = { characters, hash: contentHash(text) };
  return { outcome: 'extracted', type, ...found, written: file, characters } satisfies ExtractionAnswer;
}
