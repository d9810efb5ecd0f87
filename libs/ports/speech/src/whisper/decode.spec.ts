import { decode, open } from './decode.ts';
import type { DecodingSession } from './model.ts';
import type { Tokens } from './tokens.ts';

const [END, START, EN, FR, TRANSCRIBE, SILENCE, TIME] = [5, 6, 7, 8, 9, 10, 12];
const SIZE = TIME + 100;
const tokens: Tokens = {
  ...{ start: START, end: END, transcribe: TRANSCRIBE, silence: SILENCE, firstTime: TIME, lastTime: SIZE - 1 },
  languages: new Map([
    [EN, 'en'],
    [FR, 'fr'],
  ]),
  suppressed: [3, START, EN, FR, TRANSCRIBE, SILENCE, 11],
  suppressedFirst: [END],
  textOf: (said) => said.join(' '),
};

/** Answers with logits that are high for these tokens, one set after each token that it gets. */
function hearing(answers: readonly (readonly (readonly [token: number, logit: number])[])[]) {
  const got: number[] = [];
  const next: DecodingSession['next'] = async (token) => {
    got.push(token);
    const logits = new Float32Array(SIZE).fill(-10);
    for (const [id, logit] of answers[got.length - 1] ?? [[END, 5]]) logits[id] = logit;
    return logits;
  };
  return { got, next };
}
/** The answers to language and task come first; only the second one is used. */
const saying = (...answers: readonly (readonly (readonly [number, number])[])[]) => hearing([[], ...answers]);

describe('open', () => {
  it('finds the language, and how likely it is that nobody speaks', async () => {
    const spoken = await open(
      hearing([
        [
          [EN, 2],
          [FR, 4],
          [1, 9],
        ],
      ]),
      tokens,
    );
    expect(spoken.language).toBe(FR);
    expect(spoken.silence).toBeLessThan(0.01);
    expect((await open(hearing([[[SILENCE, 9]]]), tokens)).silence).toBeGreaterThan(0.9);
  });
});

describe('decode', () => {
  it('names language and task first, and begins with a time', async () => {
    const model = saying(
      [
        [1, 9],
        [TIME + 2, 1],
      ],
      [[1, 9]],
      [[TIME + 5, 9]],
    );
    const { tokens: said } = await decode(model, tokens, FR);
    expect(model.got.slice(0, 2)).toEqual([FR, TRANSCRIBE]);
    expect(said).toEqual([TIME + 2, 1, TIME + 5]);
  });

  it('never says suppressed tokens, nor times that go back', async () => {
    const model = saying(
      [[TIME + 9, 9]],
      [
        [3, 9],
        [1, 5],
      ],
      [
        [TIME + 4, 9],
        [2, 5],
      ],
    );
    expect((await decode(model, tokens, EN)).tokens).toEqual([TIME + 9, 1, 2]);
  });

  it('says times in pairs between passages', async () => {
    const model = saying(
      [[TIME, 9]],
      [[1, 9]],
      [[TIME + 3, 9]],
      [
        [2, 9],
        [TIME + 3, 5],
      ],
      [[2, 9]],
      [[TIME + 9, 9]],
    );
    expect((await decode(model, tokens, EN)).tokens).toEqual([TIME, 1, TIME + 3, TIME + 3, 2, TIME + 9]);
  });

  it('prefers a time if all of them together are likelier than a word', async () => {
    const times = Array.from({ length: 20 }, (_, i) => [TIME + 1 + i, 4] as const);
    const model = saying([[TIME, 9]], [[1, 9]], [[2, 5], ...times]);
    expect((await decode(model, tokens, EN)).tokens[2]).toBeGreaterThanOrEqual(TIME);
  });

  it('ends where the model runs in a circle, and says what it repeated once', async () => {
    const circle = Array.from({ length: 40 }, (_, i) => [[1 + (i % 2), 9]] as const);
    const { tokens: said, isLoop } = await decode(saying([[TIME, 9]], ...circle), tokens, EN);
    expect(isLoop).toBe(true);
    expect(said.length).toBeLessThan(6);
  });

  it('ends where a sentence is said again and again at other times', async () => {
    const words = [0, 1, 2, 4, 0, 2, 1, 4, 0];
    let time = TIME;
    const sentence = () => {
      const start = time;
      time += 4;
      return [start, ...words, time].map((token) => [[token, 9]] as const);
    };
    const { tokens: said, isLoop } = await decode(saying(...Array.from({ length: 8 }, sentence).flat()), tokens, EN);
    expect(isLoop).toBe(true);
    // With the time at which the repetition begins.
    expect(said).toEqual([TIME, ...words, TIME + 4, TIME + 4]);
  });

  it('ends where the model has no positions left', async () => {
    const random = Array.from(
      { length: 600 },
      (_, i) => [[i % 5 === 0 ? 0 : 1 + ((i * i) % 4 === 3 ? 0 : (i * 7) % 2), 9]] as const,
    );
    const model = saying([[TIME, 9]], ...random);
    await decode(model, tokens, EN);
    expect(model.got.length).toBeLessThan(448);
  });
});
