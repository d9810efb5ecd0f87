import { err, type Json, type JsonObject, ok, type Result } from '#platform/kernel';
import type { ReadSetup, SetupRefusal } from '../../connector.ts';

const SCOPES = ['prefix', 'site'] as const;
const MOST_PAGES = 10_000;
const DEFAULT_PAGES = 1_000;
const MOST_DEPTH = 50;
const DEFAULT_DEPTH = 10;
const LONGEST_ADDRESS = 2_000;

export interface CrawlSetup {
  readonly startUrl: string;
  /** `prefix`: what lies below the folder of the start page; `site`: all of its host. */
  readonly scope: (typeof SCOPES)[number];
  /** Pages and files of one crawl. */
  readonly maxPages: number;
  /** Links from the start page, or from the sitemap. */
  readonly maxDepth: number;
}

/** Reads the metadata of a request. Numbers may come as texts, since some clients send nothing else. */
export function readSetup(metadata: JsonObject): Result<ReadSetup, SetupRefusal> {
  const refuse = (field: string, message: string) => err({ field, message });
  const { startUrl, scope = 'prefix', maxPages = DEFAULT_PAGES, maxDepth = DEFAULT_DEPTH } = metadata;
  const url = typeof startUrl === 'string' && startUrl.length <= LONGEST_ADDRESS ? URL.parse(startUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return refuse('startUrl', 'must be the address of a page, which begins with https:// or http://');
  }
  if (url.username !== '' || url.password !== '') {
    return refuse('startUrl', 'must be without a name and a password: only pages that everybody can read are read');
  }
  url.hash = '';
  if (!SCOPES.some((one) => one === scope)) return refuse('scope', 'must be prefix or site');
  const pages = wholeNumber(maxPages, 1, MOST_PAGES);
  if (pages === null) return refuse('maxPages', `must be a whole number from 1 to ${MOST_PAGES}`);
  const depth = wholeNumber(maxDepth, 0, MOST_DEPTH);
  if (depth === null) return refuse('maxDepth', `must be a whole number from 0 to ${MOST_DEPTH}`);
  return ok({ setup: { startUrl: url.href, scope, maxPages: pages, maxDepth: depth }, secrets: {} });
}

function wholeNumber(value: Json, least: number, most: number): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most ? number : null;
}
