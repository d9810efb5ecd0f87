import type { FileExtractor } from '../extractors/extractor.ts';
import { type Container, containerOf } from './container.ts';
import { LONGEST, readRecording, timeFor } from './read-recording.ts';

const MIB = 1024 * 1024;

/** What is said in files of sound, or in those of video. */
export const recording = (
  type: Container['type'],
  { extensions, mediaTypes }: Pick<FileExtractor, 'extensions' | 'mediaTypes'>,
): FileExtractor => ({
  kind: type,
  type,
  reads: 'bytes',
  limits: { ms: timeFor(LONGEST), outputBytes: 16 * MIB },
  isSlow: true,
  extensions,
  mediaTypes,
  fileTypes: [type],
  detects: (bytes) => containerOf(bytes)?.type === type,
  toText: (bytes, context) => readRecording(bytes, context),
});
