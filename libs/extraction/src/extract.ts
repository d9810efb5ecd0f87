import { clip } from './characters.ts';
import { CHUNK_TOKENS, chunkBlocks } from './chunk.ts';
import { decodeText } from './decode.ts';
import { extractorOf } from './extractors/registry.ts';
import { memoriesOfBlocks } from './memories.ts';
import { type Extracted, type ExtractedDocument, ExtractionError, type Source } from './port.ts';
import { type Block, parseBlocks } from './structure.ts';
import { summaryOf, titleOf } from './title.ts';

/** Images and fonts embedded in a text: thousands of letters and no words. */
const EMBEDDED_DATA = /data:[\w.+-]{1,80}\/[\w.+-]{1,80}(?:;[\w=.-]{1,80}){0,4};base64,[A-Za-z0-9+/=]{64,}/g;

/**
 * Reads a source as searchable text, with its title and summary.
 * @throws ExtractionError if the source holds no text
 */
export async function extract(source: Source): Promise<Extracted> {
  const { text, title, summary } = await read(source);
  return { text, title, summary };
}

/**
 * Returns text, chunks and memories of a source. `chunkTokens`: maximum size of a chunk. Only CSV and HTML load a parser.
 * @throws ExtractionError if the source holds no text
 */
export async function extractDocument(source: Source, chunkTokens = CHUNK_TOKENS): Promise<ExtractedDocument> {
  const { text, title, summary, blocks } = await read(source);
  const chunks = chunkBlocks(text, blocks, chunkTokens);
  return { text, title, summary, chunks, memories: memoriesOfBlocks(text, blocks) };
}

async function read(source: Source): Promise<Extracted & { readonly blocks: readonly Block[] }> {
  const raw = typeof source.body === 'string' ? source.body : decodeText(source.body);
  const readable = await extractorOf(source.kind).toText(normalize(raw));
  const text = normalize(readable.text);
  const blocks = parseBlocks(text);
  if (blocks.length === 0) throw new ExtractionError('The source holds no text');
  const derived = readable.title === null ? titleOf(text, blocks) : clip(readable.title, 100);
  const title = source.fileName || derived;
  return { text, title, summary: summaryOf(text, blocks, title), blocks };
}

/**
 * Turns line ends into `\n`, and NUL and lone surrogates, which databases and models refuse, into U+FFFD; removes
 * embedded base64 data. Most texts pass unchanged, as the same string.
 */
function normalize(text: string): string {
  let normal = text;
  if (normal.startsWith('\ufeff')) normal = normal.slice(1);
  if (normal.includes('\r')) normal = normal.replace(/\r\n?/g, '\n');
  if (normal.includes('\0')) normal = normal.replaceAll('\0', '\ufffd');
  if (normal.includes(';base64,')) normal = normal.replace(EMBEDDED_DATA, '');
  return normal.isWellFormed() ? normal : normal.toWellFormed();
}
