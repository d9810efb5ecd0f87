import type { Section } from '#platform/kernel';
import { languageOf, primaryLanguage } from '#processing/languages';
import { clip } from './characters.ts';
import { CHUNK_TOKENS } from './chunk.ts';
import { isoDateOf } from './dates.ts';
import { decodeText } from './decoding/decode-text.ts';
import type { ReadableText } from './extractors/extractor.ts';
import { extractorOf } from './extractors/registry.ts';
import { emptySource } from './failures.ts';
import { normalize } from './normalize.ts';
import { parseParts, type TextPart } from './parts.ts';
import type { ExtractedContent, ExtractedDocument, Source, SourceDetails } from './port.ts';
import { type ExtractionContext, NO_CONTEXT } from './resources.ts';
import { splitParts } from './split-text.ts';
import { titleOf } from './title.ts';

/** Longest author and address that are kept, in UTF-16 code units. */
const MAX_AUTHOR = 200;
const MAX_URL = 2_000;

/**
 * Reads a source as searchable text, with what it says about itself.
 * @throws ExtractionError if the source holds no text, or cannot be read; MissingResourceError
 */
export async function extract(source: Source, context = NO_CONTEXT): Promise<ExtractedContent> {
  const { parts: _, ...extracted } = await read(source, context);
  return extracted;
}

/**
 * Returns text, chunks and memories of a source. `chunkTokens`: maximum size of a chunk. Plain text loads no parser.
 * @throws ExtractionError if the source holds no text, or cannot be read
 */
export async function extractDocument(source: Source, chunkTokens = CHUNK_TOKENS): Promise<ExtractedDocument> {
  const { parts, ...extracted } = await read(source, NO_CONTEXT);
  return { ...extracted, ...splitParts(extracted.text, parts, chunkTokens, extracted.sections) };
}

/** As `extract`, of a source that is read already. @param fileName becomes the title; null: what was read decides */
export function extractedFrom(readable: ReadableText, fileName: string | null): ExtractedContent {
  const { parts: _, ...extracted } = described(readable, { fileName });
  return extracted;
}

async function read(
  source: Source,
  context: ExtractionContext,
): Promise<ExtractedContent & { readonly parts: readonly TextPart[] }> {
  const { details } = source;
  const readable = await readableOf(source, context);
  return described(details ? { ...readable, ...known(details), titleComesFirst: true } : readable, source);
}

/** What is not known of a source is left to the source. */
const known = (details: SourceDetails): Partial<ReadableText> =>
  Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null));

function described(
  readable: ReadableText,
  source: Pick<Source, 'fileName' | 'sections'>,
): ExtractedContent & { readonly parts: readonly TextPart[] } {
  const { sections = source.sections ?? [], borders = [] } = readable;
  // The starts of sections refer to a text that is normal already.
  const text = sections.length > 0 ? readable.text : normalize(readable.text);
  const parts = parseParts(text, borders, sections);
  if (parts.length === 0) throw emptySource();
  const body = parts.filter(({ blocks: [first] }) => first?.kind !== 'frontMatter');
  const blocks = body.flatMap((part) => part.blocks);
  const declared = readable.title === null ? null : clip(readable.title, 100) || null;
  const title = (readable.titleComesFirst && declared) || source.fileName || (declared ?? titleOf(text, blocks));
  return {
    ...{ text, title, parts, sections, borders, encoding: readable.encoding ?? null },
    frontMatter: readable.frontMatter ?? null,
    language: primaryLanguage(readable.language) ?? languageOf(wordsOf(text, body)),
    author: (readable.author && clip(readable.author, MAX_AUTHOR)) || null,
    canonicalUrl: readable.canonicalUrl?.slice(0, MAX_URL) || null,
    date: isoDateOf(readable.date) ?? body[0]?.date ?? null,
  };
}

/** Without the markers between the parts. */
const wordsOf = (text: string, parts: readonly TextPart[]): string =>
  parts.map(({ start, end }) => text.slice(start, end)).join('\n');

async function readableOf({ borders = [], ...source }: Source, context: ExtractionContext): Promise<ReadableText> {
  const { body } = source;
  if (borders.length === 0 || typeof body !== 'string') return readOne(source, context);
  const starts = [0, ...borders];
  const texts: string[] = [];
  const found: number[] = [];
  const sections: Section[] = [];
  let first: ReadableText | null = null;
  let length = 0;
  for (const [i, start] of starts.entries()) {
    const readable = await readOne({ ...source, body: body.slice(start, starts[i + 1]) }, context);
    first ??= readable;
    const before = texts.at(-1);
    const isJoined = before === undefined || before.endsWith('\n');
    const at = length + (isJoined ? 0 : 1);
    if (before !== undefined) {
      found.push(at);
      // The last section of the text before ends here.
      if (sections.length > 0) sections.push([at, {}, null]);
    }
    const own = readable.sections ?? [];
    for (const [from, ...rest] of own) sections.push([from + at, ...rest]);
    const text = `${isJoined ? '' : '\n'}${own.length > 0 ? readable.text : normalize(readable.text)}`;
    texts.push(text);
    length += text.length;
  }
  return { ...(first as ReadableText), text: texts.join(''), borders: found, ...(sections.length > 0 && { sections }) };
}

async function readOne({ kind, body, url, charset }: Source, context: ExtractionContext): Promise<ReadableText> {
  const extractor = extractorOf(kind);
  if (extractor.reads === 'bytes')
    return extractor.toText(typeof body === 'string' ? Buffer.from(body) : body, context);
  if (typeof body === 'string') return extractor.toText(normalize(body), url);
  const { text, encoding } = await decodeText(body, charset);
  return { ...(await extractor.toText(normalize(text), url)), encoding };
}
