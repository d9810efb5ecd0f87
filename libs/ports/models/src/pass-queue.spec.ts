import { PassQueue } from './pass-queue.ts';

/** Adds a pass that ends when the test says so. */
function controlled(queue: PassQueue) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, isUrgent: boolean) =>
    queue.run(isUrgent, () => {
      begun.push(name);
      return new Promise<void>((resolve) => void ends.set(name, resolve));
    });
  return { begun, add, end: (name: string) => ends.get(name)?.() };
}

test('one pass runs at a time, and urgent ones go before those that wait', async () => {
  const { begun, add, end } = controlled(new PassQueue());
  const all = [add('first', false), add('second', false), add('urgent', true), add('more urgent', true)];
  expect(begun).toEqual(['first']);
  for (const [name, i] of [
    ['first', 0],
    ['urgent', 2],
    ['more urgent', 3],
    ['second', 1],
  ] as const) {
    end(name);
    await all[i];
    await Promise.resolve();
  }
  expect(begun).toEqual(['first', 'urgent', 'more urgent', 'second']);
});

test('while urgent ones keep coming, another one has every fifth turn', async () => {
  const { begun, add, end } = controlled(new PassQueue());
  const names = ['first', 'document', 'other document', ...Array.from({ length: 9 }, (_, i) => `question ${i}`)];
  const all = new Map(names.map((name) => [name, add(name, name.startsWith('question'))]));
  for (let i = 0; i < names.length; i++) {
    const name = begun[i] as string;
    end(name);
    await all.get(name);
    await Promise.resolve();
  }
  expect([begun.indexOf('document'), begun.indexOf('other document')]).toEqual([5, 10]);
});

test('a pass that fails lets the next one run', async () => {
  const queue = new PassQueue();
  const failed = queue.run(false, () => Promise.reject(new Error('broken')));
  const next = queue.run(false, async () => 'done');
  await expect(failed).rejects.toThrow('broken');
  expect(await next).toBe('done');
});
