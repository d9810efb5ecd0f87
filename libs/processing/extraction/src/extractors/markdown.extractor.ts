import { readFrontMatter } from '../front-matter/front-matter.ts';
import { COMMON_LIMITS, type Extractor } from './extractor.ts';

export const markdown: Extractor = {
  kind: 'markdown',
  reads: 'text',
  limits: COMMON_LIMITS,
  extensions: ['md', 'markdown', 'mdx'],
  mediaTypes: ['text/markdown', 'text/x-markdown'],
  fileTypes: [],
  toText: async (text) => (await readFrontMatter(text)) ?? { text, title: null },
};
