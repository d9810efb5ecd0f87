import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HeardPart, Transcript } from '../port.ts';
import { runFixture } from '../testing/run-fixture.ts';
import { findTestSpeech, makeWithFfmpeg, spokenRecording, spokenText, wordErrorRate } from '../testing/test-speech.ts';

const found = await findTestSpeech();
const suffix = 'missing' in found ? ` (SKIPPED: ${found.missing})` : '';
/** Of the model, which starts within a few seconds on a machine that has nothing else to do. */
const SLOW = 600_000;

const generated = (source: string): readonly string[] => ['-f', 'lavfi', '-i', `${source}:d=12`];

/** Recordings in which nobody speaks. */
const WORDLESS: Readonly<Record<string, readonly string[]>> = {
  silence: ['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '12'],
  'white noise': generated('anoisesrc=c=white:r=16000:a=0.3:seed=1'),
  'pink noise': generated('anoisesrc=c=pink:r=16000:a=0.3:seed=1'),
  'brown noise': generated('anoisesrc=c=brown:r=16000:a=0.5:seed=1'),
  hum: generated('sine=f=50:r=16000'),
  'a tone that comes and goes': generated('aevalsrc=0.3*sin(2*PI*440*t)*gt(mod(t\\,0.5)\\,0.25):s=16000'),
  music: generated(
    'aevalsrc=(0.25*sin(2*PI*220*t)+0.2*sin(2*PI*277.2*t)+0.15*sin(2*PI*329.6*t))*(0.6+0.4*sin(2*PI*0.5*t))+0.3*exp(-30*mod(t\\,0.5))*sin(2*PI*80*t):s=16000',
  ),
  'tones that change as vowels do': generated(
    'aevalsrc=(0.4*sin(2*PI*(150+40*sin(2*PI*3*t))*t)+0.2*sin(2*PI*(700+300*sin(2*PI*3.3*t))*t))*(0.5+0.5*sin(2*PI*4*t)):s=16000',
  ),
  clicks: generated('aevalsrc=lt(mod(t\\,0.5)\\,0.0002):s=16000'),
};

type Outcome = Transcript & { readonly reports: readonly number[] };

interface Rest {
  readonly error: string;
  /** Of the first recording, and of the same that goes on behind its first part. */
  readonly parts: readonly HeardPart[];
  readonly again: readonly HeardPart[];
  readonly resumed: Transcript;
}

(found.missing === undefined ? describe : describe.skip)(`the transcriber with its real weights${suffix}`, () => {
  let folder: string;
  let spoken: Outcome;
  let paused: Outcome;
  let crowded: Outcome;
  let wordless: readonly Outcome[];
  let rest: Rest;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-transcriber-'));
    const make = (name: string, ...args: readonly string[]) => {
      makeWithFfmpeg(...args, '-ar', '16000', '-ac', '1', join(folder, name));
      return join(folder, name);
    };
    const whole = make('spoken.wav', '-i', spokenRecording);
    const sentence = make('sentence.wav', '-i', spokenRecording, '-t', '4.7');
    const pause = make('pause.wav', '-f', 'lavfi', '-i', 'anoisesrc=c=white:r=16000:a=0.05:seed=2:d=40');
    const inputs = [sentence, pause, sentence].flatMap((path) => ['-i', path]);
    const both = make('paused.wav', ...inputs, '-filter_complex', 'concat=n=3:v=0:a=1');
    // Three who speak at once.
    const delays = '[0]adelay=0[a];[1]adelay=7300[b];[2]adelay=13900[c]';
    const crowd = make(
      ...['crowd.wav', ...[1, 2, 3].flatMap(() => ['-i', spokenRecording])],
      ...['-filter_complex', `${delays};[a][b][c]amix=inputs=3:normalize=0`],
    );
    const others = Object.values(WORDLESS).map((args, i) => make(`${i}.wav`, ...args));
    const model = join(found.models ?? '', 'whisper-base');
    const { outcomes, ...more } = await runFixture<{ outcomes: Outcome[] } & Rest>(
      'transcribe.fixture.ts',
      ...[model, found.ffmpeg ?? '', whole, both, crowd, ...others],
    );
    [spoken, paused, crowded, ...wordless] = outcomes as [Outcome, Outcome, Outcome, ...Outcome[]];
    rest = more;
  }, SLOW);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('writes down at most 15 % of the words wrongly', async () => {
    const text = spoken.segments.map((segment) => segment.text).join(' ');
    expect(wordErrorRate(await spokenText(), text)).toBeLessThanOrEqual(0.15);
    expect(spoken.language).toBe('en');
  });

  it('gives each passage its second', () => {
    const bridge = spoken.segments.find((segment) => segment.text.includes('bridge'));
    expect(Math.abs(bridge!.startSeconds - 17.2)).toBeLessThan(1.5);
    const starts = spoken.segments.map(({ startSeconds }) => startSeconds);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  });

  it('reports how much it has heard', () => {
    expect(Math.round(spoken.reports.at(-1)!)).toBe(35);
  });

  it.each(Object.keys(WORDLESS))('invents nothing of %s', (name) => {
    const { segments, language } = wordless[Object.keys(WORDLESS).indexOf(name)]!;
    expect({ segments, language }).toEqual({ segments: [], language: null });
  });

  it('does not say a sentence again and again where several people speak at once', () => {
    const texts = crowded.segments.map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(3);
    const inRow = texts.filter((text, i) => text === texts[i - 1] && text === texts[i - 2]);
    expect(inRow).toEqual([]);
  });

  it('keeps the times of what follows a long noise, and hears nothing in it', () => {
    const counts = paused.segments.filter(({ text }) => /sheep count/i.test(text));
    expect(counts).toHaveLength(2);
    expect(counts[0]!.startSeconds).toBeLessThan(1);
    expect(Math.abs(counts[1]!.startSeconds - 44.7)).toBeLessThan(1.5);
    expect(paused.segments.every(({ startSeconds }) => startSeconds < 6 || startSeconds > 43)).toBe(true);
  });

  it('ends when its caller has had enough', () => {
    expect(rest.error).toBe('enough');
  });

  it('goes on behind the parts that were heard before, with the same result', () => {
    expect(rest.parts.length).toBeGreaterThan(1);
    expect(rest.again).toEqual(rest.parts.slice(1));
    expect(rest.resumed).toEqual({ segments: spoken.segments, language: spoken.language });
  });
});
