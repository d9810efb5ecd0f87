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
