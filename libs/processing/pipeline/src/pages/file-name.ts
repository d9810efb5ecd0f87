/** Longest name that is kept, in UTF-16 code units. */
const MAX_NAME = 200;

/**
 * Returns the name of what was fetched: as the server names it, else the last part of the address, if that looks like the
 * name of a file. Null: it has none.
 */
export function fileNameOf(contentDisposition: string | null, url: string): string | null {
  return cleaned(named(contentDisposition ?? '')) ?? cleaned(nameIn(url));
}

/** `filename*` comes before `filename` (RFC 6266). */
function named(header: string): string | null {
  const [, charset = '', encoded = ''] = /;\s*filename\*\s*=\s*([\w-]+)'[\w-]*'([^;\s]+)/i.exec(header) ?? [];
  const extended = decoded(encoded, charset.toLowerCase());
  if (extended !== null) return extended;
  const [, quoted, plain] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header) ?? [];
  const name = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? null;
  return name === null ? null : asUtf8(name);
}

function decoded(encoded: string, charset: string): string | null {
  if (encoded === '' || !/^(?:utf-8|iso-8859-1)$/.test(charset)) return null;
  const bytes = encoded.replace(/%([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return charset === 'utf-8' ? asUtf8(bytes) : bytes;
}

/** Many servers write UTF-8 into headers, whose characters are bytes. */
function asUtf8(latin: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(latin, 'latin1'));
  } catch {
    return latin;
  }
}

function nameIn(url: string): string | null {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  if (!/[^.]\.[a-z\d]{1,8}$/i.test(last)) return null;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** A name without folders and control characters. */
function cleaned(name: string | null): string | null {
  const last = name?.split(/[/\\]/).at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  const shown = last.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '').trim();
  return shown.slice(0, MAX_NAME).toWellFormed() || null;
}
