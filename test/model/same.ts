import { isDeepStrictEqual } from 'node:util';

/** What is shown differs from the model. It may be shown later. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

/** @throws Difference */
export function same(what: string, found: unknown, wanted: unknown): void {
  if (isDeepStrictEqual(plain(found), plain(wanted))) return;
  throw new Difference(`${what}\n    is        ${JSON.stringify(found)}\n    should be ${JSON.stringify(wanted)}`);
}

/** As it is sent: without prototypes and absent fields. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Compares passages with the parts of a text, none of which a passage crosses. @throws Difference */
export function samePassages(what: string, passages: readonly string[], parts: readonly string[]): void {
  let next = 0;
  for (const part of parts) {
    const wanted = bare(part);
    let found = '';
    while (found.length < wanted.length && next < passages.length) {
      found += bare(passages[next] as string);
      next += 1;
    }
    same(what, found, wanted);
  }
  same(`${what} behind the text`, passages.slice(next), []);
}

const bare = (text: string): string => text.replace(/\s+/g, '');
