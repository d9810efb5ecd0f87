import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentHash } from '#platform/kernel';
import type { EventStore } from '#ports/event-store';
import { newDocument, OWNER, openUseCases, type UseCases } from '../testing.ts';

/** Attempts of one add that overlap. */

let useCases: UseCases;
let folder: string;
/** Appends wait for it. */
let gate: PromiseWithResolvers<void>;
/** Resolves when the first append waits. */
let waits: PromiseWithResolvers<void>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-recent-adds-'));
  gate = Promise.withResolvers();
  waits = Promise.withResolvers();
  const afterGate = async () => {
    waits.resolve();
    await gate.promise;
  };
  const behaviour: Partial<EventStore> = {
    append: (...args) => afterGate().then(() => useCases.store.append(...args)),
    appendTogether: (...args) => afterGate().then(() => useCases.store.appendTogether(...args)),
  };
  useCases = await openUseCases({ behaviour });
});
afterEach(async () => {
  await useCases.close();
  await rm(folder, { recursive: true });
});

async function file() {
  const path = join(folder, 'a.txt');
  await writeFile(path, 'A file.');
  const details = { size: 7, sha256: contentHash('A file.'), name: 'a.txt' };
  return { path, ...details, contentType: null, fileType: null, mimeType: null };
}

type Add = (isRetry: boolean) => Promise<readonly string[]>;

const one: (content: Parameters<typeof newDocument>[1]) => Add = (details) => async (isRetry) => {
  const added = await useCases.add(OWNER, newDocument(['a'], details), null, isRetry);
  return added.ok ? [added.value.id] : [];
};
const ADDS: readonly (readonly [string, () => Promise<Add>, number])[] = [
  ['a text', async () => one({ content: 'Only once.' }), 1],
  ['a file', async () => one({ content: await file() }), 1],
  [
    'a batch with equal items',
    async () => async (isRetry) => {
      const items = ['Same.', 'Same.', 'Other.'].map((content) => newDocument(['a'], { content }));
      const added = await useCases.addAll(OWNER, items, null, isRetry);
      return added.ok ? added.value.flatMap((item) => (item.ok ? item.value.id : [])) : [];
    },
    3,
  ],
];

const added = async () => (await useCases.log()).filter(({ type }) => type === 'DocumentAdded').length;

describe.each(ADDS)('given an add of %s', (_, prepared, count) => {
  test.each([
    ['a retry that comes while it is recorded', [false, true]],
    ['two retries at once, without it', [true, true]],
    ['two retries that come while it is recorded', [false, true, true]],
  ])('and %s, then all are answered with the same documents', async (_case, attempts) => {
    const add = await prepared();
    const answers = attempts.map(add);
    await waits.promise;
    gate.resolve();
    const [first, ...others] = await Promise.all(answers);
    expect(first).toHaveLength(count);
    for (const other of others) expect(other).toEqual(first);
    expect(await added()).toBe(count);
  });

  test('and another one that is no retry, then its documents are others', async () => {
    const add = await prepared();
    gate.resolve();
    const [first = [], second = []] = await Promise.all([add(false), add(false)]);
    expect(new Set([...first, ...second]).size).toBe(2 * count);
  });

  test('that fails, then a retry that waits for it is carried out', async () => {
    const add = await prepared();
    const answers = [add(false), add(true)];
    await waits.promise;
    gate.reject(new Error('gone'));
    gate = Promise.withResolvers();
    gate.resolve();
    await expect(answers[0]).rejects.toThrow('gone');
    expect(await answers[1]).toHaveLength(count);
    expect(await added()).toBe(count);
  });
});
