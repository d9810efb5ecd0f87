import { subtitleText } from '../subtitles/subtitle-text.ts';
import { COMMON_LIMITS, type Extractor } from './extractor.ts';

/** SRT and WebVTT. */
export const subtitles: Extractor = {
  kind: 'subtitles',
  reads: 'text',
  limits: COMMON_LIMITS,
  extensions: ['srt', 'vtt'],
  mediaTypes: ['text/vtt', 'application/x-subrip', 'text/srt', 'application/srt'],
  fileTypes: [],
  toText: (text) => subtitleText(text) ?? { text, title: null },
};
