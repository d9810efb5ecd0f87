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

/** Samples per second of what a transcriber hears. */
export const SAMPLE_RATE = 16_000;

/** Turns a recording into text. It blocks its thread for seconds at a time, so it runs in a child process. */
export interface Transcriber {
  /**
   * @param samples mono, `SAMPLE_RATE` a second, -1 to 1, in pieces of any length. They are read as they are needed
   * @param heard called after each part with the seconds that have been transcribed; what it throws ends the work
   */
  transcribe(samples: AsyncIterable<Float32Array>, heard?: (seconds: number) => void): Promise<Transcript>;
  close(): Promise<void>;
}
