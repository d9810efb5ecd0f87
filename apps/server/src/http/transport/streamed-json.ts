import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/** Characters that are sent at once. */
const PIECE = 65_536;

/** JSON that is written while it is sent, for answers that are too long to be held. */
export type JsonPieces = AsyncGenerator<string, void, undefined>;

/** Answers with the JSON of an `Answer`. An error in the middle ends the connection. */
export const streamedJson = <Answer>(json: JsonPieces): Answer =>
  new StreamableFile(Readable.from(gathered(json), { objectMode: false }), {
    type: 'application/json; charset=utf-8',
    // To the compiler it is what the client gets.
  }) as unknown as Answer;

/** Writes a string, or null. Pieces may separate the two halves of a surrogate pair. */
export async function* textJson(pieces: AsyncIterable<string> | null): JsonPieces {
  if (pieces === null) {
    yield 'null';
    return;
  }
  yield '"';
  for await (const piece of pieces) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
}

/**
 * Writes a list.
 * @param name of a field: the list is written as a further field of an object, and left out if it is empty
 */
export async function* listJson<T>(
  items: AsyncIterable<T>,
  toJson: (item: T) => object,
  name: string | null = null,
): JsonPieces {
  const begin = name === null ? '[' : `,${JSON.stringify(name)}:[`;
  let written = 0;
  for await (const item of items) {
    yield `${written === 0 ? begin : ','}${JSON.stringify(toJson(item))}`;
    written += 1;
  }
  if (written > 0) yield ']';
  else if (name === null) yield '[]';
}

/** Returns the fields of an object, to which further ones are added. */
export const openObject = (fields: object): string => JSON.stringify(fields).slice(0, -1);

async function* gathered(json: JsonPieces): AsyncGenerator<string> {
  let waiting = '';
  for await (const piece of json) {
    waiting += piece;
    if (waiting.length < PIECE) continue;
    yield waiting;
    waiting = '';
  }
  if (waiting !== '') yield waiting;
}
