import { isDeepStrictEqual } from 'node:util';
import { inParallel } from '../../support/load.ts';
import { documentPath } from '../clients/client.ts';
import type { ExpectedDocument } from '../model/expected.ts';
import type { Listing, Reading } from './reading.ts';
import { searchWords } from './searches.ts';
import { describeShown, type Shown, shows } from './states.ts';

const WIDTH = 4;
/** Of longer queries the search uses the 32 longest words only. */
const WORDS_OF_A_QUERY = 30;

/** Each document of the key can be read by its id as it is listed, and is found by the markers that it has. */
export async function compareDocuments(reading: Reading, listing: Listing): Promise<readonly string[]> {
  const wrong: string[] = [];
  const own = reading.expectations.of([reading.key.name]);
  await inParallel(own, WIDTH, async (document) => {
    wrong.push(...(await compareRecord(reading, document, listing)));
  });
  const absent = own.filter(({ mustBeAbsent }) => mustBeAbsent);
  const others = own.filter(({ mustBeAbsent }) => !mustBeAbsent).flatMap(({ markers }) => markers);
  await inParallel(others, WIDTH, async (marker) => {
    const found = await searchWords(reading, [marker]);
    const wanted = listing.withWord(marker);
    if (isDeepStrictEqual([...found].sort(), [...wanted].sort())) return;
    wrong.push(`a search by ${reading.key.name} for ${marker} finds [${found}], should find [${wanted}]`);
  });
  const words = absent.flatMap(({ markers }) => markers);
  await inParallel(groupsOf(words, WORDS_OF_A_QUERY), WIDTH, async (group) => {
    const found = await searchWords(reading, group);
    if (found.length > 0) wrong.push(`resurrected: a search for ${group} finds [${found}], all of them are deleted`);
  });
  return wrong;
}

async function compareRecord(
  { connection }: Reading,
  document: ExpectedDocument,
  listing: Listing,
): Promise<readonly string[]> {
  const { id } = document;
  if (id === null) return [];
  const record = listing.find(document);
  const reply = await connection.send({ method: 'GET', path: documentPath(id) });
  if (reply?.status !== (record === null ? 404 : 200)) {
    return [`${id} is answered with ${reply?.status}, and is ${record === null ? 'not ' : ''}in the list`];
  }
  if (record === null) return [];
  const { content, containerTags, metadata } = record;
  const state = { content: content ?? '', tags: containerTags, metadata: metadata ?? {} };
  const shown = reply.body as Shown & { readonly processingError: unknown };
  if (shown.processingError !== null) return [`${id} has failed: ${JSON.stringify(shown.processingError)}`];
  return shows(shown, state) ? [] : [`${id} is ${describeShown(shown)}, listed is ${describeShown(record)}`];
}

function groupsOf(items: readonly string[], size: number): readonly (readonly string[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, n) => items.slice(n * size, (n + 1) * size));
}
