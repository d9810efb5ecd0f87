import type { StreamKeys } from './stream-keys.ts';

/** What every store of stream keys has to do. */
export function streamKeysContract(open: () => Promise<StreamKeys>): void {
  const [first, second] = ['a'.repeat(32), 'b'.repeat(32)] as const;
  const secret = (byte: number) => new Uint8Array(32).fill(byte);
  let keys: StreamKeys;
  beforeEach(async () => {
    keys = await open();
  });
  afterEach(() => keys.close?.());

  /** Plain arrays: a thread answers with bytes of another realm than the test's. */
  const bytesOf = async (stream: string, id: string) => {
    const found = await keys.get(stream, id);
    return found && [...found];
  };

  it('returns each key of a stream under its id, and null for any other', async () => {
    await keys.put('one', first, secret(1));
    await keys.put('one', second, secret(2));
    expect(await bytesOf('one', first)).toEqual([...secret(1)]);
    expect(await bytesOf('one', second)).toEqual([...secret(2)]);
    expect(await bytesOf('other', first)).toBeNull();
  });

  it('replaces a key under the same id', async () => {
    await keys.put('one', first, secret(1));
    await keys.put('one', first, secret(2));
    expect(await bytesOf('one', first)).toEqual([...secret(2)]);
  });

  it('destroy() removes all keys of a stream, and those of no other', async () => {
    await keys.put('one', first, secret(1));
    await keys.put('one', second, secret(2));
    await keys.put('other', first, secret(3));
    await keys.destroy('one');
    await keys.destroy('never');
    expect([await bytesOf('one', first), await bytesOf('one', second)]).toEqual([null, null]);
    expect(await bytesOf('other', first)).toEqual([...secret(3)]);
  });

  it('remembers that the keys of a stream were destroyed, and does not take a missing key for a destroyed one', async () => {
    await keys.put('one', first, secret(1));
    expect(await keys.isDestroyed('one')).toBe(false);
    for (let i = 0; i < 2; i++) await keys.destroy('one');
    expect(await keys.isDestroyed('one')).toBe(true);
    expect(await keys.isDestroyed('never')).toBe(false);
  });

  it('among() names the streams that have keys, also those of an append after the erasure', async () => {
    for (const stream of ['kept', 'erased', 'late']) await keys.put(stream, first, secret(1));
    for (const stream of ['erased', 'late']) await keys.destroy(stream);
    await keys.put('late', second, secret(2));
    expect(await keys.among(new Set(['erased', 'late', 'never']))).toEqual(['late']);
  });
}
