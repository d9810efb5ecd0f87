import { S3mini } from 's3mini';
import { s3 } from '../libs/ports/connectors/src/adapters/s3/s3.ts';
import { toolsFor } from '../libs/ports/connectors/src/testing/connector-tools.ts';
import { idsOf, listAll, readItem } from '../libs/ports/connectors/src/testing/read-source.ts';
import { gofakes3, moto, S3_KEY, type S3Store, versitygw } from './support/s3-stores.ts';

const programs = { moto: await moto(), gofakes3: await gofakes3(), versitygw: await versitygw() };

for (const [name, program] of Object.entries(programs)) {
  if ('missing' in program) {
    test.skip(`buckets of ${name} (SKIPPED: ${program.missing})`, () => {});
    continue;
  }

  describe(`buckets of ${name}`, () => {
    let store: S3Store;
    beforeAll(async () => {
      store = await program.start();
      for (const bucket of ['docs', 'many']) await bucketOf(bucket).createBucket();
    }, 120_000);
    afterAll(() => store.close());

    const bucketOf = (bucket: string) =>
      new S3mini({ ...S3_KEY, region: 'eu-central-1', endpoint: `${store.endpoint}/${bucket}` });
    const open = async (more: { readonly [field: string]: string }) => {
      const connector = s3(toolsFor({}));
      const read = connector.readSetup({ ...S3_KEY, endpoint: store.endpoint, region: 'eu-central-1', ...more }, 'o1');
      if (!read.ok) throw new Error(read.error.message);
      const { setup, secrets } = read.value;
      return connector.open({
        ...{ connection: 'c1', organization: 'o1', setup },
        secrets: { get: async (secret) => secrets[secret] ?? null, put: async () => undefined },
      });
    };

    test('objects are listed, read, and change their version with their content', async () => {
      const bucket = bucketOf('docs');
      const contents = { 'a.md': 'one', "sub/it's (a) & b+c%.md": 'two', 'sub/ä ö.md': 'three', 'other.md': 'four' };
      for (const [key, text] of Object.entries(contents)) await bucket.putObject(key, text);
      const source = await open({ bucket: 'docs' });
      const before = await listAll(source);
      expect(idsOf(before)).toEqual(Object.keys(contents).sort());
      for (const item of before.items) {
        expect(await readItem(source, item)).toBe(contents[item.id as keyof typeof contents]);
      }
      expect(idsOf(await listAll(await open({ bucket: 'docs', prefix: 'sub/' })))).toHaveLength(2);
      await bucket.putObject('a.md', 'changed');
      await bucket.deleteObject('other.md');
      const after = await listAll(source);
      expect(idsOf(after)).not.toContain('other.md');
      expect(after.items[0]?.version).not.toBe(before.items[0]?.version);
      expect(after.items[1]?.version).toBe(before.items[2]?.version);
      await expect(readItem(source, before.items[1] as never)).rejects.toMatchObject({ code: 'item_unreadable' });
    }, 120_000);

    test('more keys than a page has are listed', async () => {
      const bucket = bucketOf('many');
      const keys = Array.from({ length: 2_100 }, (_, at) => `it's (${String(at).padStart(5, '0')})+.md`);
      for (let at = 0; at < keys.length; at += 50) {
        await Promise.all(keys.slice(at, at + 50).map((key) => bucket.putObject(key, key)));
      }
      const listed = await listAll(await open({ bucket: 'many' }));
      expect(listed.pages).toBe(3);
      expect(idsOf(listed)).toEqual(keys);
    }, 300_000);

    test('a bucket that is not there is lost', async () => {
      const listing = listAll(await open({ bucket: 'missing' }));
      await expect(listing).rejects.toMatchObject({
        code: 'source_lost',
        message: expect.stringContaining('no such bucket'),
      });
    });

    if (name === 'versitygw') {
      test('a wrong key is lost, and the sentence tells which part', async () => {
        const wrong = listAll(await open({ bucket: 'docs', secretAccessKey: 'another' }));
        await expect(wrong).rejects.toThrow('the secretAccessKey is not the one of the accessKeyId');
      });
    }
  });
}
