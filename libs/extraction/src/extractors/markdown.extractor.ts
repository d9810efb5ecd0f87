import type { Extractor } from './extractor.ts';

export const markdown: Extractor = {
  kind: 'markdown',
  extensions: ['md', 'markdown', 'mdx'],
  mediaTypes: ['text/markdown', 'text/x-markdown'],
  fileTypes: [],
  toText: (text) => ({ text, title: null }),
};
