import { SAMPLE_RATE } from '../port.ts';
import { heardIn, segmentsOf } from './segments.ts';
import type { Tokens } from './tokens.ts';

const TIME = 1_000;
/** A token of a word is its place in this list. */
const WORDS = ['the', 'goat', 'ate', 'rope', '...'];
const tokens = {
  firstTime: TIME,
  textOf: (said: readonly number[]) => said.map((id) => WORDS[id]).join(' '),
} as Tokens;
const at = (seconds: number) => TIME + seconds / 0.02;
const part = (seconds: number, isCut: boolean) => ({
  start: 100 * SAMPLE_RATE,
  samples: new Float32Array(seconds * SAMPLE_RATE),
  isCut,
});

describe('segmentsOf', () => {
  it('gives each passage its place in the recording', () => {
    const { segments } = segmentsOf([at(0), 0, 1, at(2), at(3), 2, 3, at(5)], tokens, part(10, false));
    expect(segments).toEqual([
      { startSeconds: 100, endSeconds: 102, text: 'the goat' },
      { startSeconds: 103, endSeconds: 105, text: 'ate rope' },
    ]);
  });

  it('leaves out what has no word', () => {
    expect(segmentsOf([at(0), 4, at(2)], tokens, part(10, false)).segments).toEqual([]);
    expect(segmentsOf([], tokens, part(10, false)).segments).toEqual([]);
  });

  it('ends the last passage with the part, which no time exceeds', () => {
    const { segments } = segmentsOf([at(1), 0, 1], tokens, part(4, false));
    expect(segments).toEqual([{ startSeconds: 101, endSeconds: 104, text: 'the goat' }]);
    expect(segmentsOf([at(0), 0, at(9)], tokens, part(4, false)).segments[0]?.endSeconds).toBe(104);
  });

  it('leaves a passage that is cut to the next part, unless it is the only one', () => {
    const cut = segmentsOf([at(0), 0, 1, at(2), at(2), 2], tokens, part(4, true));
    expect(cut.segments.map(({ text }) => text)).toEqual(['the goat']);
    expect(cut.complete).toBe(2 * SAMPLE_RATE);
    const whole = segmentsOf([at(0), 0, 1], tokens, part(4, true));
    expect(whole.segments.map(({ text }) => text)).toEqual(['the goat']);
    expect(whole.complete).toBe(4 * SAMPLE_RATE);
  });

  it('is complete where one time ends it, and up to the pair of times otherwise', () => {
    expect(segmentsOf([at(0), 0, at(2)], tokens, part(4, true)).complete).toBe(4 * SAMPLE_RATE);
    expect(segmentsOf([at(0), 0, at(2), at(2)], tokens, part(4, true)).complete).toBe(2 * SAMPLE_RATE);
  });
});

describe('heardIn', () => {
  const textsOf = (said: readonly number[], isCut: boolean, isLoop: boolean, seconds = 30) => {
    const { segments, next } = heardIn({ tokens: said, isLoop }, tokens, part(seconds, isCut));
    return { texts: segments.map(({ text }) => text), next: next / SAMPLE_RATE };
  };

  it('keeps what was said before the model ran in a circle, if the part is not heard again', () => {
    const said = [at(0), 0, 1, at(3), at(3), 2, 3];
    expect(textsOf(said, false, true)).toEqual({ texts: ['the goat', 'ate rope'], next: 130 });
    expect(textsOf(said, true, true)).toEqual({ texts: ['the goat', 'ate rope'], next: 130 });
  });

  it('leaves what was said to the next part, if that begins before it', () => {
    expect(textsOf([at(0), 0, 1, at(12), at(12), 2, 3], false, true)).toEqual({ texts: ['the goat'], next: 112 });
    expect(textsOf([at(0), 0, 1, at(3), at(3), 2, 3], true, false)).toEqual({ texts: ['the goat'], next: 103 });
  });

  it('keeps a passage that is cut behind a short one', () => {
    expect(textsOf([at(0), 0, at(0.5), at(0.5), 2, 3], true, false)).toEqual({ texts: ['the', 'ate rope'], next: 130 });
  });
});
