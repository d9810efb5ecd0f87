const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Returns a listing whose keys are percent-encoded, so that they pass a reader of XML that knows only some entities and
 * removes white space at the ends.
 */
export const withEncodedKeys = (listing: string): string =>
  listing.replace(/<Key>([^<]*)<\/Key>/g, (_, key: string) => `<Key>${encodeURIComponent(unescaped(key))}</Key>`);

const unescaped = (text: string): string =>
  text
    .replace(
      /&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]+));/gi,
      (entity, hex?: string, decimal?: string, name?: string) => {
        if (name !== undefined) return NAMED[name] ?? entity;
        const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
        return code <= 0x10_ff_ff ? String.fromCodePoint(code) : entity;
      },
    )
    .toWellFormed();
