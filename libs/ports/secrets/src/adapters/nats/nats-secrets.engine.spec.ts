import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { natsSuite } from '../../../../../platform/nats/src/testing/nats-suite.ts';
import { secretStoreContract } from '../../secret-store.contract.ts';
import { NatsSecrets } from './nats-secrets.ts';

describe('NatsSecrets', () => {
  const nats = natsSuite();
  secretStoreContract({
    open: () => new NatsSecrets(nats.options),
    isOnDisk: (bytes) => nats.isOnDisk(bytes),
    soon: async (check) => void (await until(check)),
  });

  it('what an interrupted replacement has left is overwritten with the next one', async () => {
    const store = new NatsSecrets(nats.options);
    const name = { organization: 'org', name: 'connectors/a' };
    const [first, second, third] = [1, 2, 3].map((n) => ({ ...name, changedAt: n, sealed: Buffer.alloc(64, n) }));
    if (!first || !second || !third) throw new Error('three are made');
    await store.write(first);
    const token = (text: string) => Buffer.from(text).toString('base64url');
    // As after a process was killed between the new value and the erasure of the old one.
    const subject = `${nats.bucket}.${token(name.organization)}.${token(name.name)}`;
    await nats.connection.request(subject, Buffer.concat([Buffer.alloc(8), second.sealed]));
    expect(await nats.isOnDisk(first.sealed)).toBe(true);
    expect((await store.read(name))?.sealed).toEqual(second.sealed);
    await store.write(third);
    await until(async () => !(await nats.isOnDisk(first.sealed)));
    expect(await nats.isOnDisk(second.sealed)).toBe(false);
  });
});
