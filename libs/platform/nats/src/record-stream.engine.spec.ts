import { randomBytes } from 'node:crypto';
import { mkdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/nats-core';
import { eventually } from '../../kernel/src/testing/eventually.ts';
import {
  connectNats,
  missingStreams,
  NatsStorageFullError,
  NatsStreamMissingError,
  NatsUnreachableError,
  openRecordStream,
  type RecordStream,
} from './index.ts';
import { startNatsServer, testNatsUrl } from './testing/nats-server.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array | null | undefined) => data && Buffer.from(data).toString();

let connection: NatsConnection;
let records: RecordStream;
const name = `test-${randomBytes(6).toString('hex')}`;

beforeAll(async () => {
  connection = await connectNats({ url: testNatsUrl(), name: 'test' });
  records = await openRecordStream({ connection, name });
});
afterAll(async () => {
  await connection.request(`$JS.API.STREAM.DELETE.${name}`);
  await connection.close();
});

async function listed(filter: string): Promise<string[]> {
  const found: string[] = [];
  for await (const subject of records.subjects(filter)) found.push(subject);
  return found;
}

test('replace() requires the sequence of the current value', async () => {
  const subject = `${name}.cas`;
  const first = await records.replace(subject, bytes('1'), 0);
  expect(await records.replace(subject, bytes('2'), 0)).toBeNull();
  const second = await records.replace(subject, bytes('2'), first!);
  expect(await records.replace(subject, bytes('3'), first!)).toBeNull();
  expect(await records.last(subject)).toMatchObject({ subject, seq: second });
});

test('one of many concurrent replace() succeeds', async () => {
  const written = await Promise.all(Array.from({ length: 20 }, () => records.replace(`${name}.race`, bytes('x'), 0)));
  expect(written.filter((seq) => seq !== null)).toHaveLength(1);
});

test('erase() removes a record, and its subject can be written like a new one', async () => {
  const subject = `${name}.erased`;
  const seq = (await records.replace(subject, bytes('1'), 0))!;
  expect(text(await records.at(seq))).toBe('1');
  expect(await records.erase(seq)).toBe(true);
  expect(await records.erase(seq)).toBe(false);
  expect(await records.at(seq)).toBeNull();
  expect(await records.last(subject)).toBeNull();
  expect(await records.replace(subject, bytes('2'), 0)).toBeGreaterThan(seq);
});

test('drop() removes a record', async () => {
  const seq = await records.write(`${name}.dropped`, bytes('1'));
  expect(await records.drop(seq)).toBe(true);
  expect(await records.drop(seq)).toBe(false);
  expect(await records.last(`${name}.dropped`)).toBeNull();
});

test('next() returns the records of a subject in order', async () => {
  const subject = `${name}.log`;
  const seqs = [];
  for (const each of ['a', 'b', 'c']) seqs.push(await records.write(subject, bytes(each)));
  await records.write(`${name}.other`, bytes('d'));
  const found: number[] = [];
  for (let at = await records.next(subject, 0); at !== null; at = await records.next(subject, at.seq))
    found.push(at.seq);
  expect(found).toEqual(seqs);
});

test('subjects are listed in order', async () => {
  for (const each of ['b', 'a', 'c', 'b']) await records.write(`${name}.list.${each}`, bytes('x'));
  expect(await listed(`${name}.list.>`)).toEqual(['a', 'b', 'c'].map((each) => `${name}.list.${each}`));
  expect(await listed(`${name}.none.>`)).toEqual([]);
});

test('maxBytes applies to new and existing streams', async () => {
  const limited = await openRecordStream({ connection, name, maxBytes: 10_000 });
  await expect(limited.write(`${name}.large`, new Uint8Array(20_000))).rejects.toThrow(NatsStorageFullError);
  const same = await openRecordStream({ connection, name });
  await expect(same.write(`${name}.large`, new Uint8Array(20_000))).rejects.toThrow(NatsStorageFullError);
  const again = await openRecordStream({ connection, name, maxBytes: -1 });
  expect(await again.write(`${name}.large`, new Uint8Array(20_000))).toBeGreaterThan(0);
});

test('history limits the records of each subject', async () => {
  const short = await openRecordStream({ connection, name: `${name}-short`, history: 1 });
  const first = await short.write(`${name}-short.x`, bytes('1'));
  await short.write(`${name}-short.x`, bytes('2'));
  expect(await short.at(first)).toBeNull();
  await connection.request(`$JS.API.STREAM.DELETE.${name}-short`);
});

test('a stream that was deleted is created again by reads and writes', async () => {
  await connection.request(`$JS.API.STREAM.DELETE.${name}`);
  expect(await records.last(`${name}.x`)).toBeNull();
  await connection.request(`$JS.API.STREAM.DELETE.${name}`);
  expect(await records.replace(`${name}.x`, bytes('1'), 0)).toBe(1);
});

test('a stream that may not be created later stays missing, and every call says so', async () => {
  const own = `${name}-kept`;
  await expect(openRecordStream({ connection, name: own, creates: 'never' })).rejects.toThrow(NatsStreamMissingError);
  const kept = await openRecordStream({ connection, name: own, creates: 'at-open' });
  const seq = await kept.write(`${own}.x`, bytes('1'));
  const opened = await openRecordStream({ connection, name: own, creates: 'never' });
  expect(text((await opened.last(`${own}.x`))?.data)).toBe('1');
  await connection.request(`$JS.API.STREAM.DELETE.${own}`);
  const listing = async () => {
    for await (const _ of kept.subjects(`${own}.>`)) break;
  };
  for (const call of [
    () => kept.last(`${own}.x`),
    () => kept.next(`${own}.x`, 0),
    () => kept.at(seq),
    () => kept.write(`${own}.x`, bytes('2')),
    () => kept.replace(`${own}.x`, bytes('2'), 0),
    () => kept.erase(seq),
    listing,
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'nats_stream_missing', kind: 'transient' });
  }
  expect(await missingStreams(connection, [own, name])).toEqual([own]);
});

test('requests reject with NatsUnreachableError during an outage, and succeed after it', async () => {
  const server = await startNatsServer();
  const own = await connectNats({ url: server.url, name: 'test' });
  const there = await openRecordStream({ connection: own, name: 'x', timeout: 2_000 });
  const seq = await there.write('x.1', bytes('1'));
  await server.kill();
  for (const request of [there.last('x.1'), there.at(seq), there.write('x.1', bytes('2')), there.erase(seq)]) {
    await expect(request).rejects.toThrow(NatsUnreachableError);
  }
  await server.restart();
  await eventually(() => there.last('x.1').catch(() => null));
  expect(text(await there.at(seq))).toBe('1');
  await own.close();
  await server.remove();
});

test('a stream whose files the server cannot make at the first try is created', async () => {
  const server = await startNatsServer();
  const own = await connectNats({ url: server.url, name: 'test' });
  // A file where the folders of streams belong. Newer servers remove it with what is left of the refused stream.
  const account = join(server.folder, 'data', 'jetstream', '$G');
  const obstacle = join(account, 'streams');
  await mkdir(account, { recursive: true });
  await writeFile(obstacle, '');
  const opening = openRecordStream({ connection: own, name: 'x' });
  await unlink(obstacle).catch(() => undefined);
  const there = await opening;
  expect(await there.write('x.1', bytes('1'))).toBe(1);
  await own.close();
  await server.remove();
});
