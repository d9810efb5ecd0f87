import { type Clock, hashSecret, type OrganizationId, type Principal, systemClock } from '#platform/kernel';
import { FollowedStates, type RecordedEvent } from '#ports/event-store';
import { foldKey, type IssuedKey, initialKey, type KeyState } from './key.ts';
import { KEY_FORMAT, keyIdOfToken } from './keys.ts';
import { KnownOrganizations } from './known-organizations.ts';
import { type Followed, kept, keyOfMember, keyWithin, type MemberRights, type Members, NO_MEMBERS } from './members.ts';
import type { ApiKeys } from './port.ts';
import { principalOf } from './principal.ts';
import { keyIdIn } from './streams.ts';

/** How long keys count as current after a confirmation. Milliseconds. */
const CURRENT_MS = 30_000;

interface KnownKey {
  readonly issued: IssuedKey;
  /** With what it permits now. */
  readonly key: IssuedKey;
  readonly principal: Principal;
  /** Of the member whose key it is, or the key whose session has agreed to it. Null: it belongs to the organization. */
  readonly source: MemberRights | IssuedKey | null;
}

/** The keys of the log in memory: those that were issued and not revoked. */
export class IssuedKeys implements ApiKeys {
  /** Of the log, too: what happens to an organization happens to its keys. */
  readonly organizations = new KnownOrganizations();
  readonly #clock: Clock;
  readonly #members: Members;
  readonly #others: readonly Followed[];
  readonly #states = new FollowedStates<KeyState>({
    ...{ idIn: keyIdIn, initialState: initialKey, evolve: foldKey },
    onChange: (id, state) => this.#replace(id, state),
  });
  // Found by hash, so that the time of a comparison reveals nothing about a secret.
  readonly #byHash = new Map<string, KnownKey>();
  readonly #byId = new Map<string, KnownKey>();
  /** Null: no other process writes to the log. */
  #confirmedAt: number | null = null;

  constructor(
    keys: Iterable<IssuedKey> = [],
    clock: Clock = systemClock,
    members: Members = NO_MEMBERS,
    others: readonly Followed[] = [],
  ) {
    this.#clock = clock;
    this.#members = members;
    this.#others = [members, ...others];
    for (const key of keys) this.set(key.id, { status: 'issued', key }, 0);
  }

  /** Of the streams whose events are applied. */
  get categories(): readonly string[] {
    return ['organization', 'key', ...this.#others.flatMap(({ categories }) => categories)];
  }

  /** Takes an event of the log. Those that are known and those of other streams change nothing. */
  apply(event: RecordedEvent): void {
    this.organizations.apply(event);
    for (const other of this.#others) other.apply(event);
    this.#states.apply(event);
  }

  /** Takes the state of a key, unless a later one is known already. @param revision of its last event */
  set(id: string, state: KeyState, revision: number): void {
    this.#states.set(id, state, revision);
  }

  /** Says that every event of the log is taken. From the first call on, this has to be said again and again. */
  confirm(): void {
    this.#confirmedAt = performance.now();
  }

  isCurrent(): boolean {
    return this.#confirmedAt === null || performance.now() - this.#confirmedAt < CURRENT_MS;
  }

  authenticate(secret: string): Principal | null {
    if (!KEY_FORMAT.test(secret)) return null;
    const known = this.#asOfNow(this.#byHash.get(hashSecret(secret)));
    if (known === null || !this.#isAccepted(known.key)) return null;
    const { grant } = known.key;
    return grant === undefined || this.#clock.now() < grant.accessUntil ? known.principal : null;
  }

  mayBeNew(secret: string): boolean {
    const id = keyIdOfToken(secret);
    const state = id === null ? undefined : this.#states.get(id);
    if (id === null || state === undefined) return id !== null;
    return state.status === 'issued' && state.key.grant !== undefined && state.key.hash !== hashSecret(secret);
  }

  isValid(principal: Principal): boolean {
    if (this.principalOf(principal.keyId) !== principal) return false;
    return this.organizations.stateOf(principal.organization) === 'active';
  }

  /** Who makes requests with a key that is accepted now. Null: it is not. */
  principalOf(id: string): Principal | null {
    const known = this.#asOfNow(this.#byId.get(id));
    return known !== null && this.#isAccepted(known.key) ? known.principal : null;
  }

  /** The key with what it permits now. Null: it is revoked, or its member is none any more. */
  get(id: string): IssuedKey | null {
    return this.#asOfNow(this.#byId.get(id))?.key ?? null;
  }

  /** Whether the secret is that of a key, also of one that is not valid any more. */
  isKnown(secret: string): boolean {
    const hash = hashSecret(secret);
    const isOf = (state: KeyState) => state.status === 'revoked' && state.hash === hash;
    return this.#byHash.has(hash) || this.#states.states().some(isOf);
  }

  /** The keys of an organization, also disabled and expired ones but not grants that are over; the first issued first. */
  of(organization: OrganizationId): readonly IssuedKey[] {
    const keys = [...this.#byId.values()].flatMap((known) => this.#asOfNow(known)?.key ?? []);
    const now = this.#clock.now();
    const isOver = ({ grant }: IssuedKey) => grant !== undefined && now >= grant.refreshUntil;
    return keys
      .filter((key) => key.organization === organization && !isOver(key))
      .sort((a, b) => a.createdAt - b.createdAt);
  }

  /** Whether no key was ever issued. */
  get isEmpty(): boolean {
    return this.#states.states().length === 0;
  }

  #replace(id: string, state: KeyState): void {
    const earlier = this.#byId.get(id);
    if (earlier !== undefined) this.#byHash.delete(earlier.issued.hash);
    this.#byId.delete(id);
    if (state.status === 'issued') this.#know(state.key, earlier?.principal);
  }

  /** Created once per key and change instead of once per request. */
  #know(issued: IssuedKey, former: Principal | undefined): KnownKey {
    const source = this.#sourceOf(issued);
    const key = source === null ? issued : within(issued, source);
    const known = { issued, key, source, principal: kept(Object.freeze(principalOf(key)), former) };
    this.#byId.set(issued.id, known);
    this.#byHash.set(issued.hash, known);
    return known;
  }

  #asOfNow(known: KnownKey | undefined): KnownKey | null {
    if (known === undefined || isOfOrganization(known.issued)) return known ?? null;
    const source = this.#sourceOf(known.issued);
    if (source === null) return null;
    return source === known.source ? known : this.#know(known.issued, known.principal);
  }

  /** Null: the key belongs to the organization, or what it belongs to permits nothing any more. */
  #sourceOf({ member, parent }: IssuedKey): MemberRights | IssuedKey | null {
    if (parent === undefined) return member === undefined ? null : this.#members.rightsOf(member);
    const known = this.#asOfNow(this.#byId.get(parent));
    return known !== null && this.#isAccepted(known.key) ? known.key : null;
  }

  #isAccepted({ organization, isEnabled, limits, grant }: IssuedKey): boolean {
    if (this.organizations.stateOf(organization) === 'gone') return false;
    const until = Math.min(
      limits.expiresAt ?? Number.POSITIVE_INFINITY,
      grant?.refreshUntil ?? Number.POSITIVE_INFINITY,
    );
    return isEnabled && this.#clock.now() < until;
  }
}

const isOfOrganization = ({ member, parent }: IssuedKey): boolean => member === undefined && parent === undefined;

const within = (key: IssuedKey, source: MemberRights | IssuedKey): IssuedKey =>
  'limits' in source ? keyWithin(key, source) : keyOfMember(key, source);
