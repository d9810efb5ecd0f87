import { jest } from '@jest/globals';
import { Comparisons } from './comparisons.ts';
import { PassageProcess } from './passage-process.ts';

/** For a busy machine. Milliseconds. */
const LONG = 60_000;
const MIB = 1024 * 1024;

/** A process whose comparisons end when the test says so. */
class ControlledProcess {
  readonly hasAnswered = true;
  readonly begun: string[] = [];
  readonly #ends = new Map<string, (error: Error | null) => void>();

  compare({ question }: { readonly question: string }, scored: (text: number, score: number) => void): Promise<void> {
    this.begun.push(question);
    scored(0, 7);
    return new Promise((resolve, reject) => {
      this.#ends.set(question, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  async end(question: string, error: Error | null = null): Promise<void> {
    this.#ends.get(question)?.(error);
    await new Promise(setImmediate);
  }

  endAfter(): () => void {
    return () => {};
  }
}

const open = () => {
  const process = new ControlledProcess();
  const comparisons = new Comparisons();
  const ended = jest.fn<(error: Error | null) => void>();
  const ask = (question: string, withinMs = LONG) =>
    comparisons.compare(() => process as unknown as PassageProcess, {
      ...{ value: async () => question, texts: ['first', 'second'], withinMs, ended },
    });
  return { process, ended, ask };
};
const settled = () => new Promise(setImmediate);

test('one question is compared at a time, and of many at once only a few wait', async () => {
  const { process, ask } = open();
  const asked = Array.from({ length: 8 }, (_, i) => ask(`${i}`));
  // Those without a place are answered at once.
  for (const refused of asked.slice(5)) expect(await refused).toEqual({ scores: [null, null], failed: false });
  expect(process.begun).toEqual(['0']);
  for (let i = 0; i < 5; i++) {
    await process.end(`${i}`);
    expect(await asked[i]).toEqual({ scores: [7, null], failed: false });
  }
  expect(process.begun).toEqual(['0', '1', '2', '3', '4']);
});

test('a question that waits until its time is over is not compared', async () => {
  const { process, ask } = open();
  const first = ask('first');
  expect(await ask('late', 1)).toEqual({ scores: [null, null], failed: false });
  await process.end('first');
  await first;
  expect(process.begun).toEqual(['first']);
});

test('what was compared in time is kept, and a failure after the answer is reported', async () => {
  const { process, ended, ask } = open();
  expect(await ask('slow', 1)).toEqual({ scores: [7, null], failed: false });
  expect(ended).not.toHaveBeenCalled();
  await process.end('slow', new Error('no such input'));
  expect(ended.mock.calls).toEqual([[new Error('no such input')]]);
  // The turn has ended with it.
  const next = ask('next');
  await settled();
  await process.end('next');
  expect(await next).toEqual({ scores: [7, null], failed: false });
  expect(ended.mock.calls.at(-1)).toEqual([null]);
});

test('a failure in time is reported with the answer', async () => {
  const { process, ask } = open();
  const asked = ask('broken');
  await settled();
  await process.end('broken', new Error('no such input'));
  expect(await asked).toEqual({ scores: [7, null], failed: true });
});

describe('a process', () => {
  const program = { name: 'process of the test', entry: new URL('./stuck-process.fixture.ts', import.meta.url) };
  const setup = { files: { model: '', tokenizer: '' }, threads: 1 };

  async function failureOf(process: PassageProcess, question: string, comparisons: Comparisons): Promise<Error | null> {
    const { promise, resolve } = Promise.withResolvers<Error | null>();
    const asked = { value: async () => question, texts: ['a'], withinMs: LONG, ended: resolve };
    const compared = await comparisons.compare(() => process, asked);
    expect(compared.failed).toBe(true);
    return promise;
  }

  test(
    'that hangs is killed',
    async () => {
      const process = new PassageProcess(setup, { ...program, limits: null });
      await process.compare({ question: 'answer', texts: [], expiresAt: 0 }, () => {});
      const comparisons = new Comparisons({ answerMs: 50, startMs: LONG });
      const error = await failureOf(process, 'hang', comparisons);
      expect(error?.message).toBe('the process of the test did not answer within 0.05 s');
      expect(process.gone).toBe(true);
    },
    LONG,
  );

  test(
    'that takes too much memory is killed',
    async () => {
      const limits = { rssBytes: 400 * MIB, heapMb: 128 };
      const process = new PassageProcess(setup, { ...program, limits });
      const error = await failureOf(process, 'grow', new Comparisons());
      expect(error?.message).toBe('the process of the test took more than 400 MiB of memory');
      expect(process.gone).toBe(true);
    },
    LONG,
  );
});
