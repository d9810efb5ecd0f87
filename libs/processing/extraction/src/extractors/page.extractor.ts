import { readArticle } from '../article.ts';
import { COMMON_LIMITS, type Extractor } from './extractor.ts';

/** A page that was fetched, reduced to its article. Uploaded pages are read whole. */
export const page: Extractor = {
  kind: 'page',
  reads: 'text',
  type: 'webpage',
  limits: COMMON_LIMITS,
  extensions: [],
  mediaTypes: [],
  fileTypes: [],
  toText: (html, url) => readArticle(html, url ?? null),
};
