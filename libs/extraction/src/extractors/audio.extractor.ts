import { containerOf } from '../media/container.ts';
import { LONGEST, readRecording, timeFor } from '../media/read-recording.ts';
import type { FileExtractor } from './extractor.ts';

const MIB = 1024 * 1024;

/** What is said in a file of sound. */
export const audio: FileExtractor = {
  kind: 'audio',
  type: 'audio',
  reads: 'bytes',
  limits: { ms: timeFor(LONGEST), outputBytes: 16 * MIB },
  isSlow: true,
  extensions: ['mp3', 'wav', 'm4a', 'm4b', 'ogg', 'oga', 'opus', 'flac'],
  mediaTypes: ['audio/mpeg', 'audio/mp4', 'audio/x-m4a', 'audio/wav', 'audio/x-wav', 'audio/ogg', 'audio/flac'],
  fileTypes: ['audio'],
  detects: (bytes) => containerOf(bytes)?.type === 'audio',
  toText: (bytes, context) => readRecording(bytes, context),
};
