/** Something that was said, with its place in the recording. */
export interface Segment {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Trimmed, never empty. */
  readonly text: string;
}

export interface Transcript {
  /** In the order of the recording. Empty: nothing was said. */
  readonly segments: readonly Segment[];
  /** ISO 639 code of the language of the first words; null: nothing was said. */
  readonly language: string | null;
}

/** What was written down of a recording up to a place. */
export interface HeardPart {
  /** Said in it. */
  readonly segments: readonly Segment[];
  /** Place at which the next part begins, in samples of the recording. */
  readonly next: number;
  /** As of the transcript. */
  readonly language: string | null;
}

/** How a recording is transcribed. */
export interface TranscribeOptions {
  /** The parts that were heard before, in order. Nothing of them is transcribed again, and the transcript holds them. */
  readonly before?: readonly HeardPart[];
  /** Called after each part with the seconds that were heard in all; what it throws ends the work. */
  readonly heard?: (part: HeardPart, seconds: number) => void;
}

/** Samples per second of what a transcriber hears. */
export const SAMPLE_RATE = 16_000;

/** Turns a recording into text. It blocks its thread for seconds at a time, so it runs in a child process. */
export interface Transcriber {
  /**
   * @param samples the whole recording: mono, `SAMPLE_RATE` a second, -1 to 1, in pieces of any length. They are read as they
   *   are needed
   */
  transcribe(samples: AsyncIterable<Float32Array>, options?: TranscribeOptions): Promise<Transcript>;
  close(): Promise<void>;
}
