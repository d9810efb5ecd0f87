import { charsetOf } from '../decoding/declared.ts';
import { decodeText } from '../decoding/decode-text.ts';
import { emptySource } from '../failures.ts';
import { normalize } from '../normalize.ts';
import { csvToText } from '../tables/csv.ts';
import { isWebPage } from '../web-text.ts';
import type { Site } from './site.ts';

const HOST = 'docs.google.com';
const SHEET = /^(?:\/a\/[^/]+)?\/spreadsheets(?:\/u\/\d+)?\/d\/(?<id>e\/[\w-]+|[\w-]+)(?:\/(?<view>[a-z]*))?\/?$/;
const VIEWS = new Set(['', 'edit', 'view', 'preview', 'copy', 'htmlview', 'pub', 'pubhtml', 'export']);

const SHARE = 'In Google Sheets, share it with anyone who has the link, and add the link again.';

/** Links to sheets of Google: one sheet of the workbook, by its CSV export. */
export const googleSheets: Site = {
  name: 'google-sheets',
  type: 'google_sheet',
  advice: SHARE,
  addressOf(url) {
    const { id, view = '' } = (url.hostname === HOST && SHEET.exec(url.pathname)?.groups) || {};
    if (id === undefined || id === 'e' || !VIEWS.has(view)) return null;
    // An export that was asked for in another format is a file like any other.
    const format = url.searchParams.get('format') ?? url.searchParams.get('output');
    if (format !== null && format !== 'csv') return null;
    const sheet = /^\d+$/.exec(new URLSearchParams(url.hash.slice(1)).get('gid') ?? url.searchParams.get('gid') ?? '');
    const gid = sheet === null ? '' : `&gid=${sheet[0]}`;
    const base = `https://${HOST}/spreadsheets/d/${id}`;
    return id.startsWith('e/')
      ? `${base}/pub?output=csv${gid && `${gid}&single=true`}`
      : `${base}/export?format=csv${gid}`;
  },
  async read({ bytes, contentType, fileName, url }) {
    // Of a sheet that is not shared, the page to sign in comes.
    if (isWebPage({ contentType, start: bytes }) || new URL(url).hostname === 'accounts.google.com') {
      return { unavailable: `The sheet is not shared. ${SHARE}` };
    }
    const { text, encoding } = await decodeText(bytes, charsetOf(contentType));
    if (text.trim() === '') throw emptySource();
    const table = csvToText(normalize(text));
    return { readable: { ...table, encoding, title: fileName?.replace(/\.csv$/i, '') || null } };
  },
};
