import { googleSheets } from './google-sheets.site.ts';
import type { Site } from './site.ts';
import { youtube } from './youtube.site.ts';

/** Every site that is read in a way of its own. */
const SITES: readonly Site[] = [googleSheets, youtube];

/** A page of a site, and the address that is fetched for it. */
export interface SitePage {
  readonly site: Pick<Site, 'name' | 'type' | 'advice'>;
  readonly address: string;
}

/** Null: the URL is fetched as it is. */
export function sitePageOf(address: string): SitePage | null {
  const url = URL.parse(address);
  if (url === null) return null;
  for (const site of SITES) {
    const found = site.addressOf(url);
    if (found !== null) return { site, address: found };
  }
  return null;
}

/** @throws Error if there is no site of this name */
export function siteNamed(name: string): Site {
  const site = SITES.find((one) => one.name === name);
  if (site === undefined) throw new Error(`there is no site of the name ${name}`);
  return site;
}
