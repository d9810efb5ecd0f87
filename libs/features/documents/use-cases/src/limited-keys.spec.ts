import { err, type Principal, permits, readScope, scopeOf, writeScope } from '#platform/kernel';
import { seeded } from '../../../../../test/support/load.ts';
import { newDocument, ORGANIZATION, openUseCases, principalOf } from './testing.ts';

/** What keys with limited tags may read and write, in random cases against a plain predicate (contract §1.2, A7). */

const CASES = 10_000;
const TAGS = ['a', 'b', 'c', 'd', 'e'];

const random = seeded(7);
const some = (tags: readonly string[], share: number) => tags.filter(() => random() < share);
const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
const isAnyIn = (tags: readonly string[], others: readonly string[]) => tags.some((tag) => others.includes(tag));

/** A key for some tags, of which it may write some. */
function limitedKey(): Principal & { readonly tags: readonly string[]; readonly writableTags: readonly string[] } {
  const tags = some(TAGS, 0.4);
  const writableTags = some(tags, 0.6);
  return { ...principalOf(tags), tags, writableTags };
}

let useCases: Awaited<ReturnType<typeof openUseCases>>;
const documents: { readonly id: string; readonly tags: readonly string[] }[] = [];
beforeAll(async () => {
  useCases = await openUseCases();
  for (let i = 0; i < 40; i += 1) {
    const tags = i === 0 ? ['a'] : [oneOf(TAGS), ...some(TAGS, 0.2)];
    const ofDocument = [...new Set(tags)];
    documents.push({ id: await useCases.added(ofDocument, { content: `Text ${i}` }), tags: ofDocument });
  }
});
afterAll(() => useCases?.close());

test('a document is read by who may read one of its tags, and written by who may write one of them', async () => {
  for (let i = 0; i < CASES; i += 1) {
    const key = limitedKey();
    const { id, tags } = oneOf(documents);
    const read = await useCases.documents.find(readScope(key), id);
    const written = await useCases.documents.find(writeScope(key), id);
    const [mayRead, mayWrite] = [isAnyIn(tags, key.tags), isAnyIn(tags, key.writableTags)];
    const asked = { key: [key.tags, key.writableTags], tags };
    expect({ ...asked, read: read.ok, written: written.ok }).toEqual({ ...asked, read: mayRead, written: mayWrite });
    if (!read.ok) expect(read).toEqual(err('forbidden'));
  }
});

test('a read by tags is refused for a tag of others, and shows documents of the tags that are asked for alone', () => {
  for (let i = 0; i < CASES; i += 1) {
    const key = limitedKey();
    const named = some(TAGS, 0.3);
    const { tags } = oneOf(documents);
    const shown = () => permits(scopeOf(key, named), tags);
    if (named.some((tag) => !key.tags.includes(tag))) expect(shown).toThrow('may not read');
    else expect(shown()).toBe(isAnyIn(tags, named.length > 0 ? named : key.tags));
  }
});

test('what is added has tags that the key may write: those that are named, or its only one', async () => {
  const addable = 500;
  for (let i = 0; i < addable; i += 1) {
    const key = limitedKey();
    const named = some(TAGS, 0.3);
    const added = await useCases.add(key, newDocument(named, { content: `A new text ${i}` }));
    const { writableTags } = key;
    const isPermitted = named.every((tag) => writableTags.includes(tag)) && writableTags.length > 0;
    const tags = named.length > 0 ? named : writableTags.length === 1 ? writableTags : null;
    const refusal = named.length === 0 && writableTags.length > 1 ? 'tag_required' : 'forbidden';
    expect({ named, writableTags, ok: added.ok }).toEqual({ named, writableTags, ok: isPermitted && tags !== null });
    if (!added.ok) expect(added).toEqual(err(refusal));
    else {
      const found = await useCases.documents.load(readScope({ ...key, organization: ORGANIZATION }), added.value.id);
      expect(found).toMatchObject({ tags });
    }
  }
});
