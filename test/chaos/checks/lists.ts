import { isDeepStrictEqual } from 'node:util';
import { type Listed, Listing, type Reading } from './reading.ts';
import { describeShown, describeState, shows } from './states.ts';

/** A list shows each document of the key once, in a possible state, and no others. */
export function compareList({ key, expectations }: Reading, listing: Listing): readonly string[] {
  const wrong: string[] = [];
  const unclaimed = new Set<Listed>(listing.records);
  for (const document of expectations.of(key.sees)) {
    const record = listing.find(document);
    if (record === null) {
      if (!document.mustExist) continue;
      wrong.push(`lost: ${document.id} (${document.markers.join(', ')}) is not in the list of ${key.name}`);
      continue;
    }
    const name = `${record.id} in the list of ${key.name}`;
    if (!unclaimed.delete(record)) wrong.push(`doubled: ${name} fits two documents`);
    if (document.mustBeAbsent) wrong.push(`resurrected: ${name}`);
    else if (!document.possible.some((state) => state !== null && shows(record, state))) {
      const possible = document.possible.map(describeState).join(' or ');
      wrong.push(`lost: ${name} is ${describeShown(record)}, acknowledged is ${possible}`);
    }
    if (record.status !== 'done') wrong.push(`${name} has the status ${record.status}`);
  }
  for (const record of unclaimed) {
    wrong.push(`doubled or leaked: ${record.id} in the list of ${key.name}: ${describeShown(record)}`);
  }
  return wrong;
}

/** The list of each tag is the part of the whole list that has the tag. */
export async function compareTags(reading: Reading, listing: Listing): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const tag of reading.key.tags) {
    const { records } = await Listing.read(reading, { containerTags: [tag] });
    const listed = records.map(({ id }) => id).sort();
    const wanted = listing.records.filter(({ containerTags }) => containerTags.includes(tag)).map(({ id }) => id);
    if (isDeepStrictEqual(listed, wanted.sort())) continue;
    wrong.push(`the list of the tag ${tag} by ${reading.key.name} has ${listed.length}, should have ${wanted.length}`);
  }
  return wrong;
}
