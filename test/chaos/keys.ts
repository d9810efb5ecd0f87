/** The keys of the chaos test. The servers load this file, too: see stand-in/api-keys.ts. */

export const SECOND_ORGANIZATION = 'ChaosSecondOrganizatio';

export interface ChaosKey {
  /** A letter that is part of every marker in the texts of this key. */
  readonly name: string;
  readonly secret: string;
  readonly organization: 'first' | 'second';
  /** Tags of its documents. */
  readonly tags: readonly [string, ...string[]];
  /** Whether it may read and write only documents of these tags. */
  readonly isLimited: boolean;
  /** Whether it is the first key of the installation, which is in the log. */
  readonly isOwner: boolean;
  /** Beginning of its customIds, which are unique in an organization. */
  readonly names: string;
  /** Names of the keys whose documents it may read. */
  readonly sees: readonly string[];
}

/** The second organization uses the tags and customIds of the owner of the first one. */
export const KEYS: readonly ChaosKey[] = [
  {
    name: 'a',
    secret: 'sm_test_owner_key_0123456789',
    organization: 'first',
    tags: ['home', 'work'],
    isLimited: false,
    isOwner: true,
    names: 'custom',
    sees: ['a', 'b', 'c'],
  },
  {
    name: 'b',
    secret: 'sm_chaos_limited_key_b_0123456789',
    organization: 'first',
    tags: ['garden', 'cellar'],
    isLimited: true,
    isOwner: false,
    names: 'custom b',
    sees: ['b'],
  },
  {
    name: 'c',
    secret: 'sm_chaos_limited_key_c_0123456789',
    organization: 'first',
    tags: ['attic'],
    isLimited: true,
    isOwner: false,
    names: 'custom c',
    sees: ['c'],
  },
  {
    name: 'd',
    secret: 'sm_chaos_second_key_d_0123456789',
    organization: 'second',
    tags: ['home', 'work'],
    isLimited: false,
    isOwner: false,
    names: 'custom',
    sees: ['d'],
  },
];
