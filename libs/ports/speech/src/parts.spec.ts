import { Parts } from './parts.ts';
import { SAMPLE_RATE } from './port.ts';
import type { VoiceDetector } from './voice.ts';

/** Somebody speaks where samples are positive. */
const positive: VoiceDetector = {
  isVoice: async (frame) => frame.some((sample) => sample > 0),
  close: async () => {},
};

/** A recording of stretches of so many seconds: speech where positive, silence where negative. In uneven pieces. */
async function* recording(...stretches: readonly number[]): AsyncGenerator<Float32Array> {
  for (const seconds of stretches) {
    const samples = new Float32Array(Math.round(Math.abs(seconds) * SAMPLE_RATE)).fill(seconds > 0 ? 0.5 : 0);
    for (let at = 0; at < samples.length; at += 7_777) yield samples.subarray(at, at + 7_777);
  }
}

const LONGEST = 10 * SAMPLE_RATE;

/**
 * @param nextFrom where to go on after a part that is cut
 * @param begin where to begin, in samples
 */
async function partsOf(stretches: readonly number[], nextFrom = (end: number) => end, begin = 0) {
  const parts = new Parts(recording(...stretches), positive, LONGEST);
  const found: { start: number; end: number; isCut: boolean }[] = [];
  let from = begin;
  for (let part = await parts.next(from); part !== null; part = await parts.next(from)) {
    const end = part.start + part.samples.length;
    found.push({ start: part.start / SAMPLE_RATE, end: end / SAMPLE_RATE, isCut: part.isCut });
    from = part.isCut ? nextFrom(end) : end;
  }
  return found;
}

describe('Parts', () => {
  it('finds nothing in silence, and nothing in noises that are too short for a word', async () => {
    expect(await partsOf([-12])).toEqual([]);
    expect(await partsOf([-4, 0.1, -4, 0.1, -4])).toEqual([]);
    expect(await partsOf([])).toEqual([]);
  });

  it('returns speech with a margin, without the silence before and after it', async () => {
    const [part, ...more] = await partsOf([-5, 3, -8]);
    expect(more).toEqual([]);
    expect(part?.isCut).toBe(false);
    expect(part?.start).toBeGreaterThan(4.5);
    expect(part?.start).toBeLessThan(5);
    expect(part?.end).toBeGreaterThan(8);
    expect(part?.end).toBeLessThan(8.5);
  });

  it('keeps short pauses, and ends a part at a long one', async () => {
    const found = await partsOf([2, -1, 2, -5, 2]);
    expect(found.map(({ start, end }) => [Math.round(start), Math.round(end)])).toEqual([
      [0, 5],
      [10, 12],
    ]);
  });

  it('cuts long speech, and goes on where it is asked to', async () => {
    const found = await partsOf([25], (end) => end - 2 * SAMPLE_RATE);
    expect(found.map(({ isCut }) => isCut)).toEqual([true, true, false]);
    expect(Math.round(found[1]!.start)).toBe(8);
    expect(Math.round(found[2]!.start)).toBe(16);
    expect(Math.round(found[2]!.end)).toBe(25);
  });

  it('begins behind what was heard before, as if it had heard that', async () => {
    const stretches = [-3, 4, -6, 25, -4, 2, -9, 1];
    const whole = await partsOf(stretches, (end) => end - SAMPLE_RATE);
    expect(whole.length).toBeGreaterThan(4);
    for (const [i, { end, isCut }] of whole.entries()) {
      const next = end * SAMPLE_RATE - (isCut ? SAMPLE_RATE : 0);
      expect(await partsOf(stretches, (last) => last - SAMPLE_RATE, next)).toEqual(whole.slice(i + 1));
    }
  });

  it('ends the source when it is closed', async () => {
    let isEnded = false;
    async function* source(): AsyncGenerator<Float32Array> {
      try {
        for (;;) yield new Float32Array(SAMPLE_RATE).fill(0.5);
      } finally {
        isEnded = true;
      }
    }
    const parts = new Parts(source(), positive, LONGEST);
    await parts.next(0);
    expect(isEnded).toBe(false);
    await parts.close();
    expect(isEnded).toBe(true);
  });

  it('reads no further than it needs', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<Float32Array> {
      for (;;) {
        read += SAMPLE_RATE;
        yield new Float32Array(SAMPLE_RATE).fill(0.5);
      }
    }
    const parts = new Parts(endless(), positive, LONGEST);
    expect((await parts.next(0))?.isCut).toBe(true);
    expect(read).toBeLessThanOrEqual(LONGEST + SAMPLE_RATE);
  });
});
