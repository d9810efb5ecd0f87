import { isLoopbackHost } from '#platform/kernel';
import { entriesOf, webAddress } from './readers.ts';

/** Reads addresses to which people may be sent back, separated by commas. */
export const redirects = (text: string): readonly string[] =>
  entriesOf(text).map((entry) => {
    const address = webAddress(entry);
    if (address.startsWith('https:') || isLoopbackHost(new URL(address).hostname)) return address;
    throw new Error(`must be a list of addresses with https, such as https://app.example.com; "${entry}" is none`);
  });

/** Reads two addresses, separated by a comma. */
export function addressPair(text: string): readonly [string, string] {
  const [first, second, ...rest] = entriesOf(text).map(webAddress);
  if (first === undefined || second === undefined || rest.length > 0) throw new Error('must be two addresses');
  return [first, second];
}
