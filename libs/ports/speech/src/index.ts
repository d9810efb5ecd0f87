export { decodeSound, readDetails, SoundError } from './ffmpeg.ts';
export { type HeardPart, SAMPLE_RATE, type Segment, type TranscribeOptions, type Transcriber } from './port.ts';
export { openWhisper } from './whisper/transcriber.ts';
