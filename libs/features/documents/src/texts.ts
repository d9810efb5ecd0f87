import { createReadStream, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import {
  contentHashOf,
  giveWay,
  type Json,
  jsonPieces,
  stringPieces,
  translateFileError,
  urlIn,
} from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import type { WrittenList, WrittenText } from '#processing/extraction';
import type { ContentInput, ListRef, Message, TextRef } from './events.ts';
import { MissingBlobError } from './missing-blob.ts';
import { MOST_BYTES } from './size.ts';
import type { Live } from './state.ts';
import { blobFolder } from './streams.ts';
import { listItems, textPieces } from './text-pieces.ts';

/** Bytes of JSON that one text or list may take of an event. */
const INLINE_BYTES = 30_000;

/** Bytes that are decoded at once; about two milliseconds. */
const TURN_BYTES = 1_048_576;

/** No character takes more than six bytes of JSON, so a text this short needs no counting. */
const SURELY_INLINE = INLINE_BYTES / 6;

/** Longest URL of a page that is fetched, as it was sent. UTF-16 code units. */
export const MAX_URL = SURELY_INLINE;

/** Long texts and lists of documents: in the event where they are short, in a blob where they are not. */
export class DocumentTexts {
  readonly #blobs: BlobStore;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /** Durable when it resolves; the same text of the same document is stored once. */
  async store(organization: string, id: string, text: string): Promise<TextRef> {
    if (text.length <= SURELY_INLINE || fitsInline(text)) return { inline: text };
    const encoding = encodingOf(text);
    const blob = `${blobFolder(organization, id)}${await blobName(text, encoding)}`;
    await this.#blobs.put(blob, encoded(text, encoding));
    return { blob, length: text.length };
  }

  /** Stores a text that another process has written to a file, as `store` does, without reading a long one into memory. */
  async storeWritten(
    organization: string,
    id: string,
    path: string,
    { characters, hash }: WrittenText,
  ): Promise<TextRef> {
    // Synchronous: a short file that was just written is in memory, and a promise costs six times the CPU time.
    if (characters <= INLINE_BYTES) return this.store(organization, id, readWritten(path));
    const blob = `${blobFolder(organization, id)}${hash}.utf8`;
    await this.#blobs.put(blob, fileBytes(path));
    return { blob, length: characters };
  }

  async storeList<T extends Json>(organization: string, id: string, list: readonly T[]): Promise<ListRef<T>> {
    const [json = '', next] = jsonPieces(list);
    if (next === undefined && json.length <= INLINE_BYTES && Buffer.byteLength(json) <= INLINE_BYTES) {
      return { inline: list };
    }
    const blob = `${blobFolder(organization, id)}${await contentHashOf([jsonPieces(list)])}.json`;
    await this.#blobs.put(blob, utf8(jsonPieces(list)));
    return { blob, length: list.length };
  }

  /** Stores a list that another process has written into a file, behind `start` bytes, as `storeList` does. */
  async storeWrittenList<T extends Json>(
    organization: string,
    id: string,
    { path, start }: { readonly path: string; readonly start: number },
    { bytes, length, hash }: WrittenList,
  ): Promise<ListRef<T>> {
    if (bytes <= INLINE_BYTES) return this.storeList(organization, id, await readList<T>(path, start, bytes));
    const blob = `${blobFolder(organization, id)}${hash}.json`;
    await this.#blobs.put(blob, fileBytes(path, { start, end: start + bytes - 1 }));
    return { blob, length };
  }

  /** @throws MissingBlobError when the blob is gone, as after a deletion */
  async read(ref: TextRef): Promise<string> {
    if ('inline' in ref) return ref.inline;
    const bytes = await this.bytes(ref.blob);
    return ref.blob.endsWith('.utf16le') ? bytes.toString('utf16le') : utf8Text(bytes);
  }

  /** As `read`, for a text of any length: in pieces. @see textPieces */
  pieces(parts: readonly TextRef[]): Promise<AsyncIterable<string>> {
    return textPieces(this.#blobs, parts);
  }

  /** Bytes of UTF-8 of a text, without reading it. @throws MissingBlobError */
  async size(parts: readonly TextRef[]): Promise<number> {
    let bytes = 0;
    for (const part of parts) bytes += await this.#sizeOf(part);
    return bytes;
  }

  /** As `readList`, for a list of any length: one item after the other. */
  items<Item extends object>(list: ListRef<Item>): Promise<AsyncIterable<Item>> {
    return listItems(this.#blobs, list);
  }

  /** @throws MissingBlobError */
  async readList<T>(ref: ListRef<T>): Promise<readonly T[]> {
    return 'inline' in ref ? ref.inline : (JSON.parse((await this.bytes(ref.blob)).toString()) as T[]);
  }

  /** @throws MissingBlobError */
  async bytes(blob: string): Promise<Buffer> {
    const bytes = await this.#blobs.get(blob);
    if (bytes === null) throw new MissingBlobError(`the blob ${blob} is gone`);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  async #sizeOf(part: TextRef): Promise<number> {
    if ('inline' in part) return Buffer.byteLength(part.inline);
    // At most: no character of a text with lone surrogates takes more bytes.
    if (part.blob.endsWith('.utf16le')) return part.length * MOST_BYTES;
    const bytes = await this.#blobs.size(part.blob);
    if (bytes === null) throw new MissingBlobError(`the blob ${part.blob} is gone`);
    return bytes;
  }

  /** Stores what a caller sends as a text. If it is a single URL, the content is the page at that URL. Durable when it resolves. */
  async storeContent(organization: string, id: string, text: string): Promise<ContentInput> {
    if (text.length <= MAX_URL && urlIn(text) !== null) return { page: text };
    return { text: await this.store(organization, id, text) };
  }

  /** What the caller sent as text, whole. Null: it was a file. */
  async content(document: Live): Promise<string | null> {
    if (!('parts' in document.content)) return null;
    const parts = await Promise.all(document.content.parts.map((part) => this.read(part)));
    return parts.join('');
  }

  /** The messages that calls have sent for a conversation, in order. */
  async messages({ conversation }: Live): Promise<readonly Message[]> {
    const lists = conversation?.lists ?? [];
    const messages: Message[] = [];
    for (const { list, count } of lists) {
      let left = count;
      for await (const message of await this.items(list)) {
        if (left === 0) break;
        left -= 1;
        messages.push(message);
      }
    }
    return messages;
  }

  /** The text that passages are ranges of. Null: not extracted yet. */
  async extracted(document: Live): Promise<string | null> {
    if (document.extracted === null) return null;
    return document.extracted === 'content' ? this.content(document) : this.read(document.extracted);
  }
}

/** UTF-8 cannot hold a lone surrogate, and content comes back exactly as it was sent. */
const encodingOf = (text: string): 'utf8' | 'utf16le' => (text.isWellFormed() ? 'utf8' : 'utf16le');

const blobName = async (text: string, encoding: string): Promise<string> =>
  `${await contentHashOf([text])}.${encoding}`;

async function* encoded(text: string, encoding: 'utf8' | 'utf16le'): AsyncGenerator<Buffer> {
  for (const piece of stringPieces(text)) yield Buffer.from(piece, encoding);
}

/** Decodes UTF-8; other work goes on while a long text is decoded. */
async function utf8Text(bytes: Buffer): Promise<string> {
  if (bytes.length <= TURN_BYTES) return bytes.toString();
  const decoder = new StringDecoder('utf8');
  let text = '';
  for (let at = 0; at < bytes.length; at += TURN_BYTES) {
    await giveWay();
    text += decoder.write(bytes.subarray(at, at + TURN_BYTES));
  }
  return text + decoder.end();
}

async function* utf8(pieces: Iterable<string>): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

/** Whether the reference is to this text. No blob is read. */
export async function refersTo(ref: TextRef, text: string): Promise<boolean> {
  if ('inline' in ref) return ref.inline === text;
  return ref.length === text.length && ref.blob.endsWith(`/${await blobName(text, encodingOf(text))}`);
}

function readWritten(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw translateFileError(error);
  }
}

/** Opens the file where it is read: a stream that nobody reads yet ends the process by its first error. */
async function* fileBytes(path: string, range?: { readonly start: number; readonly end: number }) {
  try {
    yield* createReadStream(path, range) as AsyncIterable<Buffer>;
  } catch (error) {
    throw translateFileError(error);
  }
}

async function readList<T>(path: string, start: number, bytes: number): Promise<T[]> {
  try {
    await using file = await open(path);
    const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, start);
    return JSON.parse(buffer.toString()) as T[];
  } catch (error) {
    throw translateFileError(error);
  }
}

function fitsInline(text: string): boolean {
  return text.length <= INLINE_BYTES && Buffer.byteLength(JSON.stringify(text)) <= INLINE_BYTES;
}
