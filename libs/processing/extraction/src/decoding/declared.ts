import { labelOfCodePage } from './code-pages.ts';

/** Where a page declares its charset, by the standard of HTML. Bytes. */
const DECLARATION_BYTES = 4_096;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const XML = /^\s*<\?xml\s[^<>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{1,40})/i;
const META = /<meta\s[^<>]{1,500}>/gi;
const CHARSET = /\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/i;
const IN_MEDIA_TYPE = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i;
const CODE_PAGE = /^(?:cp|ms|windows|x-cp)-?(\d{3,5})$/;
/** Say nothing that the bytes do not show: UTF-8 is tried anyway, UTF-16 has NUL bytes, and ASCII has no other letters. */
const WITHOUT_MEANING: ReadonlySet<string> = new Set(['utf-8', 'utf-16le', 'utf-16be', 'x-user-defined']);
const ASCII: ReadonlySet<string> = new Set(['ascii', 'us-ascii', 'ansi_x3.4-1968']);

/** Returns the charset that a media type names, as it is written. Null: it names none. */
export const charsetOf = (mediaType: string | null | undefined): string | null =>
  IN_MEDIA_TYPE.exec(mediaType ?? '')?.[1] ?? null;

/** Returns the charset that a text declares itself, if it begins as XML or HTML does. Null: it declares none. */
export function declaredIn(bytes: Uint8Array): string | null {
  const beginning = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1');
  if (!/^\s*</.test(beginning)) return null;
  const xml = XML.exec(beginning)?.[1];
  if (xml !== undefined) return xml;
  for (const [tag] of beginning.replace(COMMENT, '').matchAll(META)) {
    // A description of the page may name a charset, too.
    const isContent = /\scontent\s*=/i.test(tag) && !/\shttp-equiv\s*=/i.test(tag);
    const label = isContent ? undefined : CHARSET.exec(tag)?.[1];
    if (label !== undefined) return label;
  }
  return null;
}

/** Returns the label of the Encoding Standard for a declared charset. Null: it is not known, or says nothing. */
export function labelOf(declared: string): string | null {
  const name = declared.trim().toLowerCase();
  if (ASCII.has(name)) return null;
  const label = standardLabel(name) ?? labelOfCodePage(Number(CODE_PAGE.exec(name)?.[1]));
  return label === null || WITHOUT_MEANING.has(label) ? null : label;
}

function standardLabel(name: string): string | null {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return null;
  }
}
