import type { Source, SourceItem } from './connector.ts';
import { ItemUnreadableError, SourceLostError } from './errors.ts';
import { listAll, readItem } from './testing/read-source.ts';

/** A source of a test server, which the contract changes. */
export interface SourceFixture {
  /** Opens it again with each call. */
  open(): Promise<Source>;
  /** Makes an item, or gives it another content. The title of the item has the name in it. */
  put(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Makes that the source as a whole cannot be read: its root is not there, or the permission has ended. */
  lose(): Promise<void>;
  close(): Promise<void>;
}

/** Contract of a source. Contents are read as they are, or are part of what is read. */
export function sourceContract(newSource: () => Promise<SourceFixture>): void {
  let fixture: SourceFixture;
  let source: Source;
  beforeEach(async () => {
    fixture = await newSource();
    await fixture.put('first', 'The kettle is blue.');
    await fixture.put('second', 'The lamp is red.');
    source = await fixture.open();
  });
  afterEach(async () => {
    await source.close();
    await fixture.close();
  });

  const listed = async () => (await listAll(source)).items;
  const named = (items: readonly SourceItem[], name: string): SourceItem => {
    const found = items.find(({ title }) => title.includes(name));
    if (found === undefined) throw new Error(`${name} is not listed`);
    return found;
  };

  it('a listing without a cursor is complete, and its items can be read', async () => {
    const { items, ends } = await listAll(source);
    expect(ends.listing).toBe('complete');
    expect(items).toHaveLength(2);
    expect(new Set(items.map(({ id }) => id)).size).toBe(2);
    for (const { path, version, title } of items) {
      expect(path).toMatch(/^\/./);
      expect(version).not.toBe('');
      expect(title).not.toBe('');
    }
    expect(await readItem(source, named(items, 'first'))).toContain('The kettle is blue.');
    expect(await readItem(source, named(items, 'second'))).toContain('The lamp is red.');
  });

  it('what has not changed has the same id and version, also when the source is opened again', async () => {
    const before = await listed();
    const other = await fixture.open();
    const { items } = await listAll(other);
    await other.close();
    const idsAndVersions = (all: readonly SourceItem[]) => all.map(({ id, version }) => ({ id, version }));
    expect(idsAndVersions(items)).toEqual(idsAndVersions(before));
    expect(idsAndVersions(await listed())).toEqual(idsAndVersions(before));
  });

  it('a changed item has another version and the same id', async () => {
    const before = named(await listed(), 'first');
    await fixture.put('first', 'The kettle is green now.');
    const after = named(await listed(), 'first');
    expect(after.id).toBe(before.id);
    expect(after.version).not.toBe(before.version);
    expect(await readItem(source, after)).toContain('The kettle is green now.');
  });

  it('a cursor tells of changes and removals, or everything is listed again', async () => {
    const { items, ends } = await listAll(source);
    const removed = named(items, 'second');
    await fixture.remove('second');
    await fixture.put('third', 'The door is white.');
    const gone: string[] = [];
    const seen: SourceItem[] = [];
    let listing: string | null = null;
    for await (const page of source.list(ends.cursor, new AbortController().signal)) {
      gone.push(...page.removed);
      seen.push(...page.items);
      listing = page.ends?.listing ?? listing;
    }
    expect(named(seen, 'third')).toBeDefined();
    expect(seen.map(({ id }) => id)).not.toContain(removed.id);
    if (listing === 'changes') expect(gone).toContain(removed.id);
    else expect(seen).toHaveLength(2);
  });

  it('an item that is gone since the listing cannot be read, and the others can', async () => {
    const items = await listed();
    await fixture.remove('first');
    await expect(readItem(source, named(items, 'first'))).rejects.toBeInstanceOf(ItemUnreadableError);
    expect(await readItem(source, named(items, 'second'))).toContain('The lamp is red.');
  });

  it('what reads a content may fail, and the source goes on', async () => {
    const [item] = await listed();
    const failing = source.fetch(
      item as SourceItem,
      async () => {
        throw new RangeError('too long');
      },
      new AbortController().signal,
    );
    await expect(failing).rejects.toThrow('too long');
    expect(await listed()).toHaveLength(2);
  });

  it('a source that cannot be read as a whole is lost', async () => {
    await fixture.lose();
    const reading = (async () => {
      const again = await fixture.open();
      try {
        await listAll(again);
      } finally {
        await again.close();
      }
    })();
    await expect(reading).rejects.toBeInstanceOf(SourceLostError);
  });

  it('an aborted listing ends with an error', async () => {
    const stopping = new AbortController();
    stopping.abort();
    const listing = (async () => {
      for await (const _ of source.list(null, stopping.signal));
    })();
    await expect(listing).rejects.toThrow();
  });
}
