export { decodeSound, readTags, SoundError } from './ffmpeg.ts';
export { SAMPLE_RATE, type Segment, type Transcriber } from './port.ts';
export { openWhisper } from './whisper/transcriber.ts';
