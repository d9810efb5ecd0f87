import { randomBytes } from 'node:crypto';
import { newId } from '../../../platform/kernel/src/index.ts';
import type { SecretStore } from './port.ts';

export interface SecretStoreFixture {
  /** Opens the same secrets again with each call. */
  open(): SecretStore;
  /** Whether any file of the store holds these bytes now. */
  isOnDisk(bytes: Uint8Array): Promise<boolean>;
  /** Resolves when a check holds, within the time that the store takes to overwrite. */
  soon(check: () => Promise<boolean>): Promise<void>;
}

const SEALED_BYTES = 289;

/** Contract of a store of sealed secrets. */
export function secretStoreContract({ open, isOnDisk, soon }: SecretStoreFixture): void {
  let store: SecretStore;
  let organization: string;
  beforeEach(() => {
    store = open();
    organization = newId();
  });
  afterEach(() => store.close());

  const secretOf = (name: string, length = SEALED_BYTES) => ({
    ...{ organization, name: `connectors/${name}`, changedAt: 1_767_225_600_000 },
    sealed: new Uint8Array(randomBytes(length)),
  });
  const nameOf = (name: string) => ({ organization, name: `connectors/${name}` });
  const gone = (bytes: Uint8Array) => soon(async () => !(await isOnDisk(bytes)));

  it('a secret is what was written last, also after a restart', async () => {
    expect(await store.read(nameOf('a'))).toBeNull();
    const [first, second] = [secretOf('a'), { ...secretOf('a'), changedAt: 1_767_225_600_001 }];
    await store.write(first);
    await store.write(second);
    expect(await store.read(nameOf('a'))).toEqual(second);
    await store.close();
    store = open();
    expect(await store.read(nameOf('a'))).toEqual(second);
    expect(await store.read(nameOf('b'))).toBeNull();
    expect(await store.read({ ...nameOf('a'), organization: newId() })).toBeNull();
  });

  it('what is replaced or removed is overwritten, and its neighbours stay', async () => {
    const others = Array.from({ length: 60 }, (_, n) => secretOf(`other-${n}`));
    for (const other of others.slice(0, 30)) await store.write(other);
    const [first, second, longer] = [secretOf('a'), secretOf('a'), secretOf('a', 9_000)];
    await store.write(first);
    for (const other of others.slice(30)) await store.write(other);
    expect(await isOnDisk(first.sealed.subarray(0, 64))).toBe(true);
    await store.write(second);
    await gone(first.sealed.subarray(0, 64));
    await store.write(longer);
    await gone(second.sealed.subarray(0, 64));
    await store.remove(nameOf('a'));
    await gone(longer.sealed.subarray(0, 64));
    await gone(longer.sealed.subarray(-64));
    expect(await store.read(nameOf('a'))).toBeNull();
    for (const other of others) expect(await store.read(other)).toEqual(other);
  });

  it('of replacements after the same read, one counts', async () => {
    const read = secretOf('a');
    await store.write(read);
    const replacing = Array.from({ length: 3 }, () => secretOf('a'));
    const outcomes = await Promise.all(replacing.map((secret) => store.replace(secret, read.sealed)));
    expect(outcomes.filter((isWritten) => isWritten)).toHaveLength(1);
    expect(await store.read(nameOf('a'))).toEqual(replacing[outcomes.indexOf(true)]);
    await store.remove(nameOf('a'));
    expect(await store.replace(secretOf('a'), read.sealed)).toBe(false);
    expect(await store.read(nameOf('a'))).toBeNull();
  });

  it('a removed name can be written again, and removing nothing is no error', async () => {
    await store.remove(nameOf('a'));
    const [first, second] = [secretOf('a'), secretOf('a')];
    await store.write(first);
    await store.remove(nameOf('a'));
    await store.write(second);
    expect(await store.read(nameOf('a'))).toEqual(second);
  });

  it('lists are of an organization or of all, and an organization is removed as a whole', async () => {
    const [b, a] = [secretOf('b'), secretOf('a')];
    const other = { ...secretOf('a'), organization: newId() };
    for (const secret of [b, a, other]) await store.write(secret);
    expect(await store.list(organization)).toEqual([a, b]);
    expect(await store.list(null)).toEqual(expect.arrayContaining([a, b, other]));
    await store.removeAll(organization);
    expect(await store.list(organization)).toEqual([]);
    expect(await store.list(other.organization)).toEqual([other]);
    await gone(a.sealed.subarray(0, 64));
    await gone(b.sealed.subarray(0, 64));
  });
}
