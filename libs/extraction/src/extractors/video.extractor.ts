import { containerOf } from '../media/container.ts';
import { LONGEST, readRecording, timeFor } from '../media/read-recording.ts';
import type { FileExtractor } from './extractor.ts';

const MIB = 1024 * 1024;

/** What is said in a file of video. */
export const video: FileExtractor = {
  kind: 'video',
  type: 'video',
  reads: 'bytes',
  limits: { ms: timeFor(LONGEST), outputBytes: 16 * MIB },
  isSlow: true,
  extensions: ['mp4', 'm4v', 'mov', 'webm', 'mkv'],
  mediaTypes: ['video/mp4', 'video/quicktime', 'video/webm', 'video/x-matroska'],
  fileTypes: ['video'],
  detects: (bytes) => containerOf(bytes)?.type === 'video',
  toText: (bytes, context) => readRecording(bytes, context),
};
