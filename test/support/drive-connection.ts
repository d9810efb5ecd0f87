import type { startGoogle } from './google/google.ts';
import type { Mneme } from './mneme.ts';

export const PUBLIC_URL = 'https://memory.example';
export const CALLBACK = `${PUBLIC_URL}/v3/connections/auth/callback/google-drive`;

type Google = Awaited<ReturnType<typeof startGoogle>>;

/** Settings of a server that reads the Drive of a stand-in. */
export const driveSettings = (google: Google): Readonly<Record<string, string>> => ({
  ...{ MNEME_GOOGLE_CLIENT_ID: 'client-id', MNEME_GOOGLE_CLIENT_SECRET: 'client-secret' },
  ...{ MNEME_GOOGLE_URLS: `${google.issuer},${google.apiUrl}`, MNEME_PUBLIC_URL: PUBLIC_URL },
  MNEME_REDIRECTS: 'https://app.example.com/connected',
});

/** The address at which a server is that is known under its public one. */
export const at = (server: Mneme, address: string): string => address.replace(PUBLIC_URL, server.url);

export const partOf = (address: string): string => new URL(address).hash.slice(1);

/** Goes where a browser goes, once. @returns where it is led to */
export async function follow(address: string): Promise<string> {
  const response = await fetch(address, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (location === null) throw new Error(`${address} leads nowhere (${response.status}): ${await response.text()}`);
  return location;
}

/** Sends what a page sends. */
export async function send(server: Mneme, path: string, content: object) {
  const response = await fetch(server.url + path, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) },
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

/** Asks for a connection and goes to Google and back. @returns the address of the page that asks */
export async function depart(server: Mneme, fields: object = {}) {
  const { status, body } = await server.request<{ id: string; authLink: string }>(
    'POST',
    '/v3/connections/google-drive',
    { containerTags: ['farm'], ...fields },
  );
  if (status !== 200) throw new Error(`The connection was refused: ${JSON.stringify(body)}`);
  const back = await follow(body.authLink);
  return { ...body, back, page: await follow(at(server, back)) };
}

/** Connects the account of the stand-in. @param fields of the request */
export async function connectDrive(server: Mneme, fields: object = {}) {
  const { id, page } = await depart(server, fields);
  const { status, body } = await send(server, '/connect/answer', { request: partOf(page), allow: true });
  if (status !== 200) throw new Error(`The connection was not stored: ${JSON.stringify(body)}`);
  return { id, location: String(body.location) };
}
