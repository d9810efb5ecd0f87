import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileLinks } from '#features/documents';
import { err, ok, type Principal } from '#platform/kernel';
import { createCommandHandler, createFoldCache } from '#ports/event-store';
import { GetFileLinkHandler } from '../get-file-link/get-file-link.handler.ts';
import { GetFileLink } from '../get-file-link/get-file-link.query.ts';
import { newDocument, OF_OTHER_ORGANIZATION, OWNER, openUseCases, principalOf, type UseCases } from '../testing.ts';
import { OpenFileHandler } from './open-file.handler.ts';
import { type OpenedFile, OpenFile } from './open-file.query.ts';

let useCases: UseCases;
let folder: string;
let links: GetFileLinkHandler;
let files: OpenFileHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  folder = await mkdtemp(join(tmpdir(), 'mneme-files-'));
  links = new GetFileLinkHandler(useCases.documents, useCases.fileLinks);
  files = new OpenFileHandler(useCases.documents, useCases.fileLinks, useCases.blobs);
});
afterAll(async () => {
  await useCases.close();
  await rm(folder, { recursive: true });
});

async function upload(customId: string, text: string): Promise<string> {
  const sha256 = hash('sha256', text);
  const path = join(folder, sha256);
  await writeFile(path, text);
  const file = {
    path,
    size: text.length,
    sha256,
    name: 'ä.csv',
    contentType: 'text/csv',
    fileType: null,
    mimeType: null,
  };
  const added = await useCases.add(OWNER, newDocument(['a'], { content: file, customId }));
  if (!added.ok) throw new Error(added.error);
  return added.value.id;
}

const link = (principal: Principal, id: string) => links.execute(new GetFileLink(principal, id));

async function tokenOf(id: string): Promise<string> {
  const made = await link(principalOf(['a']), id);
  if (!made.ok) throw new Error(made.error);
  return made.value.token;
}

async function read(token: string) {
  const opened = await files.execute(new OpenFile(token));
  if (!opened.ok) return opened.error;
  const { read: _, ...details } = opened.value;
  return { ...details, text: await textOf(opened.value, 0, details.bytes) };
}

const textOf = async (file: OpenedFile, start: number, end: number) =>
  Buffer.concat(await Array.fromAsync(file.read(start, end))).toString();

const MINUTE = 60_000;

test('a link serves the file for 15 minutes', async () => {
  const token = await tokenOf(await upload('fresh', 'a,b'));
  expect(token).toMatch(/^[\w.-]+$/);
  expect(await read(token)).toEqual({ name: 'ä.csv', contentType: 'text/csv', bytes: 3, text: 'a,b' });
  useCases.clock.advance(14 * MINUTE);
  expect(await read(token)).toMatchObject({ text: 'a,b' });
  useCases.clock.advance(MINUTE);
  expect(await read(token)).toBe('dead_link');
  expect(await read(await tokenOf('fresh'))).toMatchObject({ text: 'a,b' });
});

test('no part of a token may be altered, and none of another document fits', async () => {
  const [token, other] = [await tokenOf(await upload('one', '1')), await tokenOf(await upload('two', '2'))];
  const parts = token.split('.');
  for (const [i, part] of parts.entries()) {
    const last = part.at(-1) === 'A' ? 'B' : 'A';
    const altered = parts.with(i, `${part.slice(0, -1)}${last}`).join('.');
    expect(await read(altered)).toBe('dead_link');
    const ofOther = other.split('.')[i] as string;
    if (ofOther !== part) expect(await read(parts.with(i, ofOther).join('.'))).toBe('dead_link');
  }
  for (const wrong of ['', 'x', '....', `${token}A`, token.slice(0, -1), '../../etc/passwd']) {
    expect(await read(wrong)).toBe('dead_link');
  }
});

test('a link dies with its document, and with its file', async () => {
  const deleted = await tokenOf(await upload('deleted', 'gone'));
  await useCases.append(await upload('deleted', 'gone'), { type: 'DocumentDeleted', payload: null });
  expect(await read(deleted)).toBe('dead_link');

  const replaced = await tokenOf(await upload('replaced', 'before'));
  await upload('replaced', 'after');
  expect(await read(replaced)).toBe('dead_link');
  expect(await read(await tokenOf('replaced'))).toMatchObject({ text: 'after' });
});

test('a part of a file is read', async () => {
  const opened = await files.execute(new OpenFile(await tokenOf(await upload('parts', '0123456789'))));
  if (!opened.ok) throw new Error(opened.error);
  expect(await textOf(opened.value, 0, 1)).toBe('0');
  expect(await textOf(opened.value, 3, 7)).toBe('3456');
  expect(await textOf(opened.value, 9, 10)).toBe('9');
});

test('processes share one key, whichever of them makes the first link', async () => {
  const { store, clock, close } = await openUseCases();
  // Each process has its own cache of the log.
  const linksOfProcess = () =>
    new FileLinks(createCommandHandler({ store, clock, cache: createFoldCache({ characters: 10_000 }) }), clock);
  const processes = [linksOfProcess(), linksOfProcess()];
  const file = { blob: 'b', bytes: 1, name: '', contentType: null, fileType: null, mimeType: null };
  const document = { organization: 'org', id: 'x'.repeat(22) };
  const unknown = `org.${'x'.repeat(22)}.zzzzzzzz.${'m'.repeat(43)}.${'s'.repeat(43)}`;
  for (const one of processes) expect(await one.read(unknown)).toBeNull();
  const tokens = await Promise.all(processes.map((one) => one.tokenFor(document, file)));
  for (const token of tokens) {
    for (const one of processes) expect((await one.read(token))?.serves(file)).toBe(true);
  }
  await close();
});

test.each([
  ['no tag of the document', principalOf(['b']), 'forbidden', 'not_found'],
  ['another organization', OF_OTHER_ORGANIZATION, 'not_found', 'not_found'],
])('a principal with %s gets no link', async (name, principal, refusal, byName) => {
  const id = await upload(name, 'x');
  expect(await link(principal, id)).toEqual(err(refusal));
  expect(await link(principal, name)).toEqual(err(byName));
});

test('a text has no file', async () => {
  const id = await useCases.added(['a']);
  expect(await link(principalOf(['a']), id)).toEqual(err('no_file'));
  expect(await link(principalOf(['a']), 'unknown')).toEqual(err('not_found'));
  expect(await link(principalOf(['a']), await upload('file', 'x'))).toMatchObject(ok({}));
});
