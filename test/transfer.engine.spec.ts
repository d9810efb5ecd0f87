import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster } from './support/cluster.ts';
import { addDocuments, documentsOf } from './support/transfer.ts';

/** `mneme export` and `mneme import` on distributed engines. */

test('documents are exported from one cluster and imported into another', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-transfer-'));
  const [source, target] = [await Cluster.start(), await Cluster.start()];
  try {
    const [from, to] = [await source.start('api'), await target.start('api')];
    await Promise.all([source.start('worker'), target.start('worker')]);
    await addDocuments(from);
    const exported = join(folder, 'exported');
    expect(await source.cli('export', exported)).toMatchObject({ code: 0, out: expect.stringMatching(/^5 documents/) });
    expect(await target.cli('import', exported)).toMatchObject({ code: 0, out: expect.stringMatching(/^5 documents/) });
    expect(await documentsOf(to)).toEqual(await documentsOf(from));
    expect(await target.cli('import', exported)).toMatchObject({ out: expect.stringMatching(/^0 .* 5 unchanged/) });
    expect(await source.cli('backup', join(folder, 'backup'))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/EventStoreDB .* NATS .* OpenSearch/),
    });
  } finally {
    await source.stop();
    await target.stop();
    await rm(folder, { recursive: true });
  }
});
