import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3mini } from 's3mini';
import { hasRclone } from '../libs/ports/connectors/src/adapters/rclone/program.ts';
import { eventually, Mneme } from './support/mneme.ts';
import { moto, S3_KEY, type S3Store } from './support/s3-stores.ts';

/** Connections to buckets and to remotes of rclone, over HTTP. */

const program = await moto();
const isRcloneThere = hasRclone(process.env);

let folder: string;
let mneme: Mneme;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-files-'));
  await mkdir(join(folder, 'data'));
  await writeFile(join(folder, 'rclone.conf'), `[disk]\ntype = alias\nremote = ${join(folder, 'data')}\n`);
  mneme = await Mneme.start({
    env: {
      MNEME_FETCH_LOOPBACK: 'on',
      MNEME_RCLONE: JSON.stringify([{ name: 'team', remote: 'disk:' }]),
      RCLONE_CONFIG: join(folder, 'rclone.conf'),
    },
  });
});
afterAll(async () => {
  await mneme.stop();
  await rm(folder, { recursive: true });
});

interface Run {
  readonly status: string;
  readonly error: string | null;
  readonly itemsProcessed: number;
}

async function connect(provider: string, containerTag: string, metadata: object): Promise<string> {
  const created = await mneme.request<{ id: string }>('POST', `/v3/connections/${provider}`, {
    containerTag,
    metadata,
  });
  expect(created).toMatchObject({ status: 200 });
  return created.body.id;
}

/** Returns the run that has ended as the n-th. */
const ended = (id: string, n: number): Promise<Run> =>
  eventually(async () => {
    const { body } = await mneme.request<readonly Run[]>('GET', `/v3/connections/${id}/sync-runs`);
    const over = body.filter(({ status }) => status !== 'running');
    return over.length >= n ? (over[0] as Run) : null;
  });

async function sync(provider: string, containerTag: string): Promise<void> {
  const asked = await mneme.request('POST', `/v3/connections/${provider}/import`, { containerTags: [containerTag] });
  expect(asked.status).toBe(202);
}

const paths = async (containerTag: string) => {
  const { body } = await mneme.request<{ memories: readonly { readonly filepath: string }[] }>(
    'POST',
    '/v3/documents/list',
    {
      containerTags: [containerTag],
    },
  );
  return body.memories.map(({ filepath }) => filepath).sort();
};

if ('missing' in program) {
  test.skip(`a bucket (SKIPPED: ${program.missing})`, () => {});
} else {
  test('the objects of a bucket become documents, which follow them; its secret is never shown', async () => {
    const store: S3Store = await program.start();
    try {
      const bucket = new S3mini({ ...S3_KEY, region: 'eu-central-1', endpoint: `${store.endpoint}/docs` });
      await bucket.createBucket();
      await bucket.putObject('notes/a.txt', 'The kettle is blue.');
      await bucket.putObject('notes/b.txt', 'The lamp is red.');
      await bucket.putObject('other/c.txt', 'The door is white.');
      const place = { bucket: 'docs', region: 'eu-central-1', endpoint: store.endpoint };
      const id = await connect('s3', 'bucket', { ...S3_KEY, ...place, prefix: 'notes/' });
      expect(await ended(id, 1)).toMatchObject({ status: 'completed', itemsProcessed: 2 });
      expect(await paths('bucket')).toEqual(['/notes/a.txt', '/notes/b.txt']);
      const shown = await mneme.request('GET', `/v3/connections/${id}`);
      expect(JSON.stringify(shown.body)).not.toContain(S3_KEY.secretAccessKey);
      await bucket.deleteObject('notes/a.txt');
      await bucket.putObject('notes/d.txt', 'The chair is green.');
      await sync('s3', 'bucket');
      await ended(id, 2);
      expect(await paths('bucket')).toEqual(['/notes/b.txt', '/notes/d.txt']);
      const wrong = await connect('s3', 'wrong', { ...S3_KEY, ...place, bucket: 'another' });
      expect(await ended(wrong, 1)).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('no such bucket'),
      });
    } finally {
      await store.close();
    }
  }, 300_000);
}

if (!isRcloneThere) {
  test.skip('a remote of rclone (SKIPPED: rclone is not installed)', () => {});
} else {
  test('the files of a remote of rclone become documents, which follow them', async () => {
    await mkdir(join(folder, 'data', 'notes'));
    await writeFile(join(folder, 'data', 'notes', 'a.txt'), 'The kettle is blue.');
    const id = await connect('rclone', 'remote', { remote: 'team', path: 'notes' });
    expect(await ended(id, 1)).toMatchObject({ status: 'completed', itemsProcessed: 1 });
    await writeFile(join(folder, 'data', 'notes', 'b.txt'), 'The lamp is red.');
    await sync('rclone', 'remote');
    await ended(id, 2);
    expect(await paths('remote')).toEqual(['/notes/a.txt', '/notes/b.txt']);
  }, 300_000);
}

test('setups are refused with the name of the field, and folders that the settings do not name are not there', async () => {
  const refused = await mneme.request('POST', '/v3/connections/s3', { containerTag: 'x', metadata: { bucket: 'a' } });
  expect(refused).toMatchObject({ status: 400 });
  expect(JSON.stringify(refused.body)).toContain('accessKeyId');
  const folders = await mneme.request('POST', '/v3/connections/folder', {
    containerTag: 'x',
    metadata: { folder: '/etc' },
  });
  expect(folders).toMatchObject({ status: 501 });
  expect(JSON.stringify(folders.body)).toContain('MNEME_FOLDERS');
});
