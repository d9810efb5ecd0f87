import type { Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { Answer, AnswerReader } from '#features/proxy/formats';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};
/** Of an answer when decompressed; of a longer one nothing is stored. Bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Reads a copy of an answer that passes by, decompressed. Never throws, and never slows the answer. */
export interface AnswerTap {
  push(chunk: Buffer): void;
  /** Null: it could not be read. */
  end(): Promise<Answer | null>;
}

/** @param encoding of the header `Content-Encoding`. @returns null for one that is unknown */
export function tapOf(reader: AnswerReader, encoding: string | undefined): AnswerTap | null {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') {
    return { push: (chunk) => reader.push(chunk), end: async () => reader.end() };
  }
  const decoder = DECODERS[name]?.();
  if (decoder === undefined) return null;
  let bytes = 0;
  decoder.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) decoder.destroy(new Error('too large'));
    else reader.push(chunk);
  });
  const done = finished(decoder).then(
    () => true,
    () => false,
  );
  return {
    push: (chunk) => {
      if (!decoder.destroyed) decoder.write(chunk);
    },
    end: async () => {
      if (!decoder.destroyed) decoder.end();
      return (await done) ? reader.end() : null;
    },
  };
}
