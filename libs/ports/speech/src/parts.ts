import { SAMPLE_RATE } from './port.ts';
import { FRAME, type VoiceDetector } from './voice.ts';

/** A stretch of a recording in which somebody speaks. */
export interface Part {
  /** Place of its first sample in the recording, in samples. */
  readonly start: number;
  readonly samples: Float32Array;
  /** It is cut where somebody may still speak. The next part begins where `next` says. */
  readonly isCut: boolean;
}

const framesIn = (seconds: number): number => Math.round((seconds * SAMPLE_RATE) / FRAME);
/** Frames around speech that belong to it: words begin and end softly. */
const MARGIN = framesIn(0.3);
/** A pause of this length ends a part. Not shorter, because a part costs the same whatever its length. */
const PAUSE = framesIn(2.5);
/** Less speech than this in a part is a noise. */
const LEAST = framesIn(0.2);

/**
 * Cuts a recording into parts with speech. It holds one part of the recording at a time.
 * @param longest samples of a part
 */
export class Parts {
  readonly #frames: AsyncGenerator<Float32Array>;
  readonly #voice: VoiceDetector;
  readonly #longest: number;
  /** Frames that were read and not dropped, with whether somebody speaks in each. */
  #held: { readonly frame: Float32Array; readonly isVoice: boolean }[] = [];
  /** Frames before the first one that is held. */
  #dropped = 0;
  #isEnd = false;

  constructor(samples: AsyncIterable<Float32Array>, voice: VoiceDetector, longest: number) {
    this.#frames = framesOf(samples);
    this.#voice = voice;
    this.#longest = Math.floor(longest / FRAME);
  }

  /** Seconds of the recording that were read. */
  get seconds(): number {
    return ((this.#dropped + this.#held.length) * FRAME) / SAMPLE_RATE;
  }

  /**
   * Returns the next part; null: the recording has ended.
   * @param from where it begins at the earliest, in samples of the recording
   */
  async next(from: number): Promise<Part | null> {
    await this.#skipTo(Math.floor(from / FRAME));
    for (;;) {
      const first = await this.#firstVoice();
      if (first === null) return null;
      this.#drop(Math.max(0, first - MARGIN));
      const { end, isCut, voiced } = await this.#extent();
      if (voiced < LEAST && !isCut) {
        this.#drop(end);
        continue;
      }
      const samples = new Float32Array(end * FRAME);
      for (let i = 0; i < end; i++) samples.set(this.#held[i]!.frame, i * FRAME);
      return { start: this.#dropped * FRAME, samples, isCut };
    }
  }

  /** Ends the recording: nothing of it is read any more. */
  async close(): Promise<void> {
    await this.#frames.return(undefined);
  }

  /** Index of the first held frame with speech. Frames without speech before it are dropped while it is looked for. */
  async #firstVoice(): Promise<number | null> {
    for (let i = 0; ; ) {
      if (i >= this.#held.length && !(await this.#read())) return null;
      if (this.#held[i]!.isVoice) return i;
      if (i < MARGIN) i++;
      else this.#drop(1);
    }
  }

  /** How many of the held frames make the part: up to a pause, the end, or the longest. */
  async #extent(): Promise<{ readonly end: number; readonly isCut: boolean; readonly voiced: number }> {
    let last = 0;
    let voiced = 0;
    for (let i = 0; ; i++) {
      if (i === this.#longest) return { end: i, isCut: true, voiced };
      const isOver = i - last > PAUSE || (i >= this.#held.length && !(await this.#read()));
      if (isOver) return { end: Math.min(last + 1 + MARGIN, this.#held.length), isCut: false, voiced };
      if (this.#held[i]!.isVoice) {
        last = i;
        voiced += 1;
      }
    }
  }

  /** Also what is skipped goes through the voice detector, whose answers depend on what was before. */
  async #skipTo(frame: number): Promise<void> {
    while (this.#dropped < frame && (this.#held.length > 0 || (await this.#read()))) this.#drop(frame - this.#dropped);
  }

  async #read(): Promise<boolean> {
    if (this.#isEnd) return false;
    const { value: frame, done } = await this.#frames.next();
    this.#isEnd = done === true;
    if (done) return false;
    this.#held.push({ frame, isVoice: await this.#voice.isVoice(frame) });
    return true;
  }

  #drop(frames: number): void {
    const count = Math.min(frames, this.#held.length);
    this.#held.splice(0, count);
    this.#dropped += count;
  }
}

/** The same samples in pieces of one size; the last one is filled with silence. */
async function* framesOf(samples: AsyncIterable<Float32Array>): AsyncGenerator<Float32Array> {
  let frame = new Float32Array(FRAME);
  let filled = 0;
  for await (const piece of samples) {
    for (let at = 0; at < piece.length; ) {
      const taken = piece.subarray(at, at + FRAME - filled);
      frame.set(taken, filled);
      filled += taken.length;
      at += taken.length;
      if (filled === FRAME) {
        yield frame;
        frame = new Float32Array(FRAME);
        filled = 0;
      }
    }
  }
  if (filled > 0) yield frame;
}
