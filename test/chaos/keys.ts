import { eventually, INSTALLATION_KEY, OWNER_KEY } from '../support/mneme.ts';
import type { Installation } from './installation/installation.ts';

/** The keys of the chaos test, in two organizations. */

export interface ChaosKey {
  /** A letter that is part of every marker in the texts of this key. */
  readonly name: string;
  readonly organization: 'first' | 'second';
  /** Tags of its documents. */
  readonly tags: readonly [string, ...string[]];
  /** Whether it may read and write only documents of these tags. */
  readonly isLimited: boolean;
  /** Beginning of its customIds, which are unique in an organization. */
  readonly names: string;
  /** Names of the keys whose documents it may read. */
  readonly sees: readonly string[];
}

export interface OpenKey extends ChaosKey {
  readonly secret: string;
}

/** The second organization uses the tags and customIds of the owner of the first one. */
export const KEYS: readonly ChaosKey[] = [
  {
    name: 'a',
    organization: 'first',
    tags: ['home', 'work'],
    isLimited: false,
    names: 'custom',
    sees: ['a', 'b', 'c'],
  },
  {
    name: 'b',
    organization: 'first',
    tags: ['garden', 'cellar'],
    isLimited: true,
    names: 'custom b',
    sees: ['b'],
  },
  {
    name: 'c',
    organization: 'first',
    tags: ['attic'],
    isLimited: true,
    names: 'custom c',
    sees: ['c'],
  },
  {
    name: 'd',
    organization: 'second',
    tags: ['home', 'work'],
    isLimited: false,
    names: 'custom',
    sees: ['d'],
  },
];

/** A limited key has a rate limit in any case; no client reaches this one. */
const UNLIMITED = { rateLimitMax: 10_000, rateLimitTimeWindow: 1_000 };

/** Creates the second organization and the keys, and waits until every process accepts them. */
export async function openKeys({ apis }: Pick<Installation, 'apis'>): Promise<readonly OpenKey[]> {
  const [api] = apis;
  if (api === undefined) throw new Error('no process answers requests');
  const keys: OpenKey[] = [];
  for (const key of KEYS) keys.push({ ...key, secret: await secretOf(api.url, key) });
  for (const { url } of apis) {
    for (const { secret } of keys) {
      await eventually(async () => ((await ask(url, 'GET', '/v3/session', secret)).status === 200 ? true : null));
    }
  }
  return keys;
}

async function secretOf(url: string, { name, organization, isLimited, tags }: ChaosKey): Promise<string> {
  if (organization === 'second') return create(url, '/v3/organizations', INSTALLATION_KEY, { name: 'Second' });
  if (!isLimited) return OWNER_KEY;
  const [containerTag, ...others] = tags;
  const containerTags = others.map((tag) => ({ containerTag: tag, permission: 'write' }));
  return create(url, '/v3/auth/scoped-key', OWNER_KEY, { name, containerTag, containerTags, ...UNLIMITED });
}

async function create(url: string, path: string, by: string, body: object): Promise<string> {
  const answer = await ask(url, 'POST', path, by, body);
  if (answer.status !== 200) throw new Error(`POST ${path} returned ${answer.status}`);
  return ((await answer.json()) as { key: string }).key;
}

const ask = (url: string, method: string, path: string, key: string, body?: object): Promise<Response> =>
  fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
