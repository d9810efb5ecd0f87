import { entriesOf } from './readers.ts';

const HOST = /^(\[[0-9a-f:.]+\]|[\w.-]+)$/i;

/** Reads names and addresses of hosts without ports, separated by commas. Addresses of IPv6 may stand in brackets. */
export function hosts(text: string): readonly string[] {
  return entriesOf(text).map((entry) => {
    const name = entry.includes(':') && !entry.startsWith('[') ? `[${entry}]` : entry;
    const url = HOST.test(name) ? URL.parse(`http://${name}`) : null;
    if (url === null) {
      throw new Error(
        `must be a list like mneme.lan,10.0.0.5, without ports; "${entry}" is neither a name nor an address`,
      );
    }
    return url.hostname;
  });
}

/** Reads origins, separated by commas. Programs have schemes of their own. */
export function origins(text: string): readonly string[] {
  return entriesOf(text).map((entry) => {
    if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/i.test(entry)) {
      throw new Error(`must be a list like https://chat.example.com, without paths; "${entry}" is no origin`);
    }
    return entry.toLowerCase();
  });
}
