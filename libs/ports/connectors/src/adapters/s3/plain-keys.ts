const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Returns a listing for a reader of XML that knows entities only by their names and removes white space at the ends: keys are
 * percent-encoded, and what else has a number, such as quotes of tokens and ETags, has a name.
 */
export const withEncodedKeys = (listing: string): string =>
  listing
    .replace(/<Key>([^<]*)<\/Key>/g, (_, key: string) => `<Key>${encodeURIComponent(unescaped(key))}</Key>`)
    .replace(/&#x?[\da-f]+;/gi, (entity) => named(unescaped(entity)));

const named = (sign: string): string => {
  const name = Object.keys(NAMED).find((one) => NAMED[one] === sign);
  return name === undefined ? sign : `&${name};`;
};

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
