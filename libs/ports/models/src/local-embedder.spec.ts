import { copyFile, mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../../platform/kernel/src/testing/eventually.ts';
import { EmbedderOff } from './embedder-off.ts';
import { LocalEmbedder, type LocalEmbedderOptions } from './local-embedder.ts';
import { e5SmallV2, modelFolder } from './model-files.ts';
import { EmbeddingInterruptedError, type ModelStatus, ModelUnavailableError } from './port.ts';
import type { ModelSource } from './source.ts';
import { findTestModel } from './test-model.ts';

const found = await findTestModel();
const dataFolder = found.dataFolder ?? '';
const withModel = 'missing' in found ? describe.skip : describe;
const suffix = 'missing' in found ? ` (SKIPPED: ${found.missing})` : '';

/** For a busy machine. Milliseconds. */
const LONG_MS = 60_000;
const IN_TIME = { withinMs: LONG_MS, ended: () => {} };

const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

const becomes = (embedder: LocalEmbedder, state: ModelStatus['state']) =>
  until(
    () => embedder.status(),
    (status) => status.state === state,
  );
const ready = (embedder: LocalEmbedder) => becomes(embedder, 'ready');
const unavailable = (embedder: LocalEmbedder) => becomes(embedder, 'unavailable');

const passage = (i: number) =>
  `On day ${i} the crew repaired ${i * 3} sails, wrote a log entry and cooked a stew of beans.`;
const passages = (count: number) => Array.from({ length: count }, (_, i) => passage(i));

const embedders: LocalEmbedder[] = [];
function start(options: Partial<LocalEmbedderOptions> = {}): LocalEmbedder {
  const embedder = LocalEmbedder.start({ dataFolder, fetch: false, ...options });
  embedders.push(embedder);
  return embedder;
}
async function closeAll(): Promise<void> {
  await Promise.all(embedders.splice(0).map((embedder) => embedder.close()));
}

withModel(`LocalEmbedder with the real model${suffix}`, () => {
  let embedder: LocalEmbedder;
  beforeAll(async () => {
    embedder = start();
    await ready(embedder);
  });
  afterAll(closeAll);

  it('is ready with the space of the model', () => {
    expect(embedder.status()).toEqual({ state: 'ready', space: { name: 'e5-small-v2-q.2.384', dimensions: 384 } });
  });

  it('returns vectors of unit length, also for unusual texts', async () => {
    const odd = [
      'a plain sentence',
      '',
      ' \n',
      '\ud800 a lone surrogate',
      '東京の天気',
      'x'.repeat(300_000),
      'word '.repeat(4000),
    ];
    const vectors = [...(await embedder.embedPassages(odd)), await embedder.embedQuestion('what?')];
    for (const vector of vectors) {
      expect(vector).toHaveLength(384);
      expect(Math.sqrt(cosine(vector, vector))).toBeCloseTo(1, 5);
    }
  });

  it('ranks a paraphrase nearer than an unrelated text', async () => {
    const question = await embedder.embedQuestion('How did they travel to the mountains?');
    const [near, far] = await embedder.embedPassages([
      'They took the night train up into the Alps.',
      'The invoice for March has not been paid yet.',
    ]);
    expect(cosine(question, near!)).toBeGreaterThan(cosine(question, far!) + 0.05);
  });

  it('reads only the first 512 tokens of a long text', async () => {
    const long = 'sail '.repeat(600);
    const [whole, longer, shorter] = await embedder.embedPassages([
      long,
      `${long} volcano volcano`,
      'sail '.repeat(20),
    ]);
    expect(cosine(whole!, longer!)).toBeCloseTo(1, 5);
    expect(cosine(whole!, shorter!)).toBeLessThan(0.9999);
  });

  it('returns a vector for each text of a window, which knows the other texts', async () => {
    const asked = await embedder.embedQuestion('When did the ferryman repair the boat?');
    const [window, alone] = await embedder.embedWindows([
      ['When did the ferryman repair the boat?', 'On Tuesday.'],
      ['On Tuesday.'],
    ]);
    expect([window?.length, alone?.length]).toEqual([2, 1]);
    for (const vector of [...window!, ...alone!]) expect(Math.sqrt(cosine(vector, vector))).toBeCloseTo(1, 5);
    expect(cosine(asked, window![1]!)).toBeGreaterThan(cosine(asked, alone![0]!));
  });

  it('compares the tokens of a question with those of passages', async () => {
    const scores = await embedder.compareTokens(
      'How did they travel to the mountains?',
      ['The invoice for March has not been paid yet.', 'They took the night train up into the Alps.', '', ' \n'],
      IN_TIME,
    );
    expect(scores[1]).toBeGreaterThan((scores[0] ?? 1) + 0.05);
    for (const score of scores) expect(Math.abs(score ?? 2)).toBeLessThanOrEqual(1);
    expect(await embedder.compareTokens('again', [], IN_TIME)).toEqual([]);
  });

  it('compares no passage without time', async () => {
    expect(await embedder.compareTokens('what?', ['a sail', 'an oar'], { ...IN_TIME, withinMs: 0 })).toEqual([
      null,
      null,
    ]);
  });

  it('compares before the passages that wait to be embedded', async () => {
    let embedded = false;
    const waiting = embedder.embedPassages(passages(100)).then(() => {
      embedded = true;
    });
    const scores = await embedder.compareTokens('Who cooked?', ['The crew cooked.'], IN_TIME);
    expect([scores, embedded]).toEqual([[expect.any(Number)], false]);
    await waiting;
  });

  it('returns the same vectors for a window alone and among others, also for texts longer than a pass', async () => {
    const windows = [passages(3), ['', ' '], [`${passage(1)} `.repeat(40)], passages(9), ['🦭']];
    const together = await embedder.embedWindows(windows);
    for (const [i, window] of windows.entries()) {
      const [alone] = await embedder.embedWindows([window]);
      expect(alone).toEqual(together[i]);
      for (const vector of alone!) expect(Math.sqrt(cosine(vector, vector))).toBeCloseTo(1, 5);
    }
    expect(await embedder.embedWindows([])).toEqual([]);
  });

  it('reads the whole of a text in a window, however long', async () => {
    const long = 'sail '.repeat(600);
    const windows = [[long], [`${long}${'volcano '.repeat(300)}`]];
    const [[whole], [longer]] = (await embedder.embedWindows(windows)) as [Float32Array[], Float32Array[]];
    expect(cosine(whole!, longer!)).toBeLessThan(0.99);
  });

  it('embeds texts and windows of calls at the same time', async () => {
    const [texts, windows] = await Promise.all([
      embedder.embedPassages(passages(20)),
      embedder.embedWindows(passages(20).map((text) => [text, 'short'])),
    ]);
    expect([texts.length, windows.length]).toEqual([20, 20]);
    expect(windows.every((vectors) => vectors.length === 2)).toBe(true);
  });

  it('returns the same vector for a text alone and among others', async () => {
    const texts = [...passages(20), 'short', `${passage(1)} `.repeat(12)];
    const together = await embedder.embedPassages(texts);
    for (const [i, text] of texts.entries()) {
      const [alone] = await embedder.embedPassages([text]);
      expect([...alone!]).toEqual([...together[i]!]);
    }
  });

  it('returns the vectors of each of several concurrent calls', async () => {
    const expected = await embedder.embedPassages(passages(12));
    const calls = await Promise.all(passages(12).map((text) => embedder.embedPassages([text])));
    for (const [i, [vector]] of calls.entries()) expect([...vector!]).toEqual([...expected[i]!]);
    expect(await embedder.embedPassages([])).toEqual([]);
  });

  it('answers a question before earlier passages', async () => {
    const order: string[] = [];
    await embedder.embedPassages(['the process runs']);
    const slow = embedder.embedPassages(passages(100)).then(() => order.push('passages'));
    await embedder.embedQuestion('who waits?').then(() => order.push('question'));
    await slow;
    expect(order).toEqual(['question', 'passages']);
  });

  it('answers a small call before an earlier large one', async () => {
    const order: string[] = [];
    const large = embedder.embedPassages(passages(120)).then(() => order.push('large'));
    const small = embedder.embedPassages(['a small document']).then(() => order.push('small'));
    await Promise.all([large, small]);
    expect(order).toEqual(['small', 'large']);
  });

  it('embeds repeated questions once', async () => {
    const [first, again] = await Promise.all([embedder.embedQuestion('twice?'), embedder.embedQuestion('twice?')]);
    expect(again).toBe(first);
    expect(await embedder.embedQuestion('twice?')).toBe(first);
  });

  it('drops an aborted call and continues with others', async () => {
    const abort = new AbortController();
    const dropped = embedder.embedPassages(passages(120), { signal: abort.signal });
    const other = embedder.embedPassages(['another']);
    abort.abort(new Error('deleted'));
    await expect(dropped).rejects.toThrow('deleted');
    await expect(other).resolves.toHaveLength(1);
    await expect(embedder.embedPassages(['late'], { signal: abort.signal })).rejects.toThrow('deleted');
  });

  it('rejects the calls in a process that died, and continues in a new one', async () => {
    await embedder.embedPassages(['the process runs']);
    const pid = embedder.passageProcessId!;
    const hit = embedder.embedPassages(passages(120));
    // After one turn of the event loop the first portions are in the process.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    process.kill(pid, 'SIGKILL');
    await expect(hit).rejects.toThrow(EmbeddingInterruptedError);
    expect(await embedder.embedPassages(passages(70))).toHaveLength(70);
    expect(embedder.passageProcessId).not.toBe(pid);
  });
});

withModel(`LocalEmbedder and its process${suffix}`, () => {
  afterEach(closeAll);

  const isGone = (pid: number) =>
    until(() => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    });

  it('starts with the first passage and ends when it is idle', async () => {
    const embedder = start({ idleMs: 10 });
    await ready(embedder);
    expect(embedder.passageProcessId).toBeUndefined();
    const embedding = embedder.embedPassages(['one']);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const pid = embedder.passageProcessId!;
    await embedding;
    expect(await isGone(pid)).toBe(true);
    expect(await embedder.embedPassages(['two'])).toHaveLength(1);
  });

  it('is replaced when it has grown too large', async () => {
    const embedder = start({ maxRssBytes: 1 });
    await ready(embedder);
    await embedder.embedPassages(['one']);
    const first = embedder.passageProcessId!;
    await embedder.embedPassages(passages(100));
    expect(embedder.passageProcessId).not.toBe(first);
    expect(await isGone(first)).toBe(true);
  });

  it('ends when the embedder is closed during work', async () => {
    const embedder = start();
    await ready(embedder);
    await embedder.embedPassages(['one']);
    const pid = embedder.passageProcessId!;
    const broken = expect(embedder.embedPassages(passages(100))).rejects.toThrow(EmbeddingInterruptedError);
    await embedder.close();
    await broken;
    expect(await isGone(pid)).toBe(true);
    await expect(embedder.embedPassages(['late'])).rejects.toThrow(ModelUnavailableError);
    await expect(embedder.embedQuestion('late?')).rejects.toThrow(ModelUnavailableError);
  });
});

describe('LocalEmbedder without a model', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-embedder-'));
  });
  afterEach(async () => {
    await closeAll();
    await rm(folder, { recursive: true });
  });

  const silent: ModelSource = {
    name: 'silent',
    fetch: (_, __, { signal, received }) => {
      received(1_000_000);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  };

  it('reports what it fetches, and rejects calls until it is ready', async () => {
    const embedder = start({ dataFolder: folder, sources: [silent] });
    const status = await until(
      () => embedder.status(),
      (seen) => seen.state === 'fetching' && seen.receivedBytes > 0,
    );
    expect(status).toEqual({ state: 'fetching', source: 'silent', receivedBytes: 1_000_000, totalBytes: 34_725_763 });
    await expect(embedder.embedQuestion('now?')).rejects.toThrow(ModelUnavailableError);
    await expect(embedder.embedPassages(['now'])).rejects.toThrow(ModelUnavailableError);
  });

  it('reports the reason, retries after growing pauses, and stops when it is closed', async () => {
    const warnings: string[] = [];
    const logger = { info: () => {}, warn: (message: string) => warnings.push(message) };
    let asked = 0;
    const thirdTime = new Promise<void>((resolve) => {
      const failing: ModelSource = {
        name: 'failing',
        fetch: async () => {
          if (++asked === 3) resolve();
          throw new Error('no luck');
        },
      };
      start({ dataFolder: folder, sources: [failing], retryMs: 1, logger });
    });
    await thirdTime;
    const embedder = embedders[0]!;
    const status = await unavailable(embedder);
    expect(status).toMatchObject({ reason: expect.stringContaining('failing: no luck') });
    await embedder.close();
    const before = asked;
    await delay(50);
    expect(asked).toBe(before);
    expect(warnings[0]).toContain('no luck');
  });

  it('removes damaged files of the right size and reports it', async () => {
    const target = modelFolder(folder);
    await mkdir(target, { recursive: true });
    for (const file of e5SmallV2.files) {
      const handle = await open(join(target, file.name), 'w');
      await handle.truncate(file.bytes);
      await handle.close();
    }
    const embedder = start({ dataFolder: folder, sources: [] });
    expect(await unavailable(embedder)).toMatchObject({
      reason: expect.stringMatching(/model\.onnx.*damaged, removed/),
    });
  });

  const withFiles = 'missing' in found ? it.skip : it;
  withFiles('becomes ready once the model can be had', async () => {
    let offered = false;
    const later: ModelSource = {
      name: 'later',
      fetch: async (model, into, { received }) => {
        if (!offered) throw new Error('not yet');
        for (const file of model.files) {
          await copyFile(join(modelFolder(dataFolder), file.name), join(into, file.name));
          received(file.bytes);
        }
      },
    };
    const embedder = start({ dataFolder: folder, sources: [later], retryMs: 20 });
    await unavailable(embedder);
    offered = true;
    await ready(embedder);
    expect(await embedder.embedQuestion('now?')).toHaveLength(384);
  });
});

describe('EmbedderOff', () => {
  it('has the status off and rejects calls', async () => {
    const off = new EmbedderOff();
    expect(off.status()).toEqual({ state: 'off' });
    await expect(off.embedQuestion()).rejects.toThrow(ModelUnavailableError);
    await expect(off.embedPassages()).rejects.toThrow(ModelUnavailableError);
    await expect(off.embedWindows()).rejects.toThrow(ModelUnavailableError);
    await off.close();
  });
});
