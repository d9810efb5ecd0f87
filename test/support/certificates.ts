import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate and its key, in PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

interface Issued {
  /** Names and IPv4 addresses of the server. */
  readonly names: readonly string[];
  /** Default: it expires tomorrow. */
  readonly isExpired?: boolean;
}

/** A certificate authority of a test: nothing trusts it unless the test says so. */
export class TestAuthority {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #name = `Authority ${randomBytes(6).toString('hex')}`;
  readonly cert: string;

  constructor() {
    const isAuthority = extension('2.5.29.19', sequence(boolean(true)), true);
    this.cert = this.#issue(this.#name, this.#keys.publicKey, [isAuthority], false);
  }

  issue({ names, isExpired = false }: Issued): Identity {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const shown = names.map((name) =>
      /^[\d.]+$/.test(name)
        ? tagged(0x87, Buffer.from(name.split('.').map(Number)))
        : tagged(0x82, Buffer.from(name, 'latin1')),
    );
    const cert = this.#issue('Server', publicKey, [extension('2.5.29.17', sequence(...shown))], isExpired);
    return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
  }

  #issue(subject: string, key: KeyObject, extensions: readonly Buffer[], isExpired: boolean): string {
    const day = 24 * 3_600_000;
    const end = Date.now() + (isExpired ? -day : day);
    const body = sequence(
      tagged(0xa0, integer(Buffer.from([2]))),
      integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
      ECDSA_WITH_SHA256,
      named(this.#name),
      sequence(time(end - 2 * day), time(end)),
      named(subject),
      createPublicKey(key.export({ type: 'spki', format: 'pem' }) as string).export({ type: 'spki', format: 'der' }),
      tagged(0xa3, sequence(...extensions)),
    );
    const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, this.#keys.privateKey)]));
    const base64 = sequence(body, ECDSA_WITH_SHA256, signature).toString('base64');
    return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  }
}

/** A value of DER. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...items: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(items));
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes);
const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]));

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  const bytes = others.flatMap((arc) => {
    const digits = [arc & 0x7f];
    for (let rest = arc >> 7; rest > 0; rest >>= 7) digits.unshift((rest & 0x7f) | 0x80);
    return digits;
  });
  return tagged(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));

const named = (name: string): Buffer =>
  sequence(tagged(0x31, sequence(objectId('2.5.4.3'), tagged(0x0c, Buffer.from(name)))));

const time = (at: number): Buffer =>
  tagged(0x18, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));

const extension = (id: string, value: Buffer, isCritical = false): Buffer =>
  sequence(objectId(id), ...(isCritical ? [boolean(true)] : []), tagged(0x04, value));
