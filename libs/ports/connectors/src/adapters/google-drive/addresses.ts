/** Where Google is. */
export interface GoogleAddresses {
  readonly issuer: string;
  /** Where the browser goes. */
  readonly authorize: string;
  readonly token: string;
  readonly revoke: string;
  /** Of the version 3 of the Drive API, without a slash at its end. */
  readonly drive: string;
}

/** @param urls of a stand-in: where people permit, and the API. Null: Google's own */
export function addressesOf(urls: readonly [accounts: string, api: string] | null): GoogleAddresses {
  const [accounts, api] = urls ?? ['https://accounts.google.com', 'https://www.googleapis.com'];
  const tokens = urls?.[0] ?? 'https://oauth2.googleapis.com';
  return {
    ...{ issuer: accounts, authorize: `${accounts}/o/oauth2/v2/auth` },
    ...{ token: `${tokens}/token`, revoke: `${tokens}/revoke`, drive: `${api}/drive/v3` },
  };
}

/** Hosts that get credentials. */
export const hostsOf = ({ token, revoke, drive }: GoogleAddresses): readonly string[] => [
  ...new Set([token, revoke, drive].map((address) => new URL(address).host)),
];
