import { err, isAtMost, type OrganizationId, ok, type Principal, type Result } from '#platform/kernel';
import { type Cause, type CommandHandler, type Model, record } from '#ports/event-store';
import type { IssuedKeys } from './api-keys.ts';
import {
  decideChange,
  decideGrant,
  decideIssue,
  decideRenew,
  decideRevoke,
  foldKey,
  type IssuedKey,
  initialKey,
  KEY_EVENTS,
  type KeyChanged,
  type KeyEvent,
  type KeyIssued,
  type KeyState,
  type Renewal,
} from './key.ts';
import { keyStream } from './streams.ts';

const MODEL: Model<KeyState> = { name: 'key', version: 1, initialState: initialKey, evolve: foldKey };

/** `key_above_role`: the key has, or would have, a role above that of the caller. */
export type KeyRefusal = 'key_not_found' | 'key_above_role';

/** Issues, changes and revokes keys. It counts in this process before the call resolves. */
export class KeyRepository {
  readonly #handler: CommandHandler;
  readonly #keys: Pick<IssuedKeys, 'set' | 'get'>;

  constructor(handler: CommandHandler, keys: Pick<IssuedKeys, 'set' | 'get'>) {
    this.#handler = handler;
    this.#keys = keys;
  }

  async issue(by: Principal, cause: Cause, payload: KeyIssued['payload']): Promise<Result<IssuedKey, KeyRefusal>> {
    const issued = await this.#execute(by, cause, payload.id, () =>
      isAtMost(payload.role, by.role) ? ok(decideIssue(payload)) : err('key_above_role'),
    );
    return issued.ok ? this.#issuedIn(issued.value) : issued;
  }

  /** Changes what is sent. */
  async change(
    by: Principal,
    cause: Cause,
    id: string,
    changes: KeyChanged['payload'],
  ): Promise<Result<IssuedKey, KeyRefusal>> {
    const changed = await this.#execute(by, cause, id, (state) => {
      const key = this.#manageable(state, by);
      return key.ok ? ok(decideChange(key.value, changes)) : key;
    });
    return changed.ok ? this.#issuedIn(changed.value) : changed;
  }

  async revoke(by: Principal, cause: Cause, id: string): Promise<Result<KeyState, KeyRefusal>> {
    return this.#execute(by, cause, id, (state) => {
      const key = this.#manageable(state, by);
      return key.ok ? ok([{ type: 'KeyRevoked', payload: null }]) : key;
    });
  }

  /** Issues the key of an application. Null: what led to it was used before, and the key is revoked. */
  async grant(organization: OrganizationId, cause: Cause, payload: KeyIssued['payload']): Promise<IssuedKey | null> {
    const state = await this.#decide(organization, cause, payload.id, (before) => decideGrant(before, payload));
    return state.status === 'issued' && state.key.hash === payload.hash ? this.#asOfNow(state.key) : null;
  }

  /** Gives an application other tokens. Null: it gets none, and an authentic token that was used before ends the grant. */
  async renew(
    { organization, id }: Pick<IssuedKey, 'organization' | 'id'>,
    cause: Cause,
    renewal: Renewal,
  ): Promise<IssuedKey | null> {
    const state = await this.#decide(organization, cause, id, (before, now) => decideRenew(before, renewal, now));
    return state.status === 'issued' && state.key.hash === renewal.next.hash ? this.#asOfNow(state.key) : null;
  }

  /** Ends the grant of an application, which asks for it. */
  async endGrant({ organization, id }: Pick<IssuedKey, 'organization' | 'id'>, cause: Cause): Promise<void> {
    await this.#decide(organization, cause, id, decideRevoke);
  }

  async #decide(
    organization: OrganizationId,
    cause: Cause,
    id: string,
    decide: (state: KeyState, now: number) => readonly KeyEvent[],
  ): Promise<KeyState> {
    const done = await this.#execute({ organization }, cause, id, (state, now) => ok(decide(state, now)));
    if (!done.ok) throw new Error(done.error);
    return done.value;
  }

  async #execute(
    { organization }: Pick<Principal, 'organization'>,
    cause: Cause,
    id: string,
    decide: (state: KeyState, now: number) => Result<readonly KeyEvent[], KeyRefusal>,
  ): Promise<Result<KeyState, KeyRefusal>> {
    const done = await this.#handler.execute<KeyState, KeyRefusal>({
      ...{ stream: keyStream(id), model: MODEL },
      decide: (state, _revision, now) => {
        const events = decide(state, now);
        return events.ok ? ok(record(KEY_EVENTS, events.value, { organization, cause, tags: [], now })) : events;
      },
    });
    if (!done.ok) return done;
    const { state, revision } = done.value;
    if (revision !== 'no-stream') this.#keys.set(id, state, Number(revision));
    return ok(state);
  }

  /** A key that the caller may change: another organization's does not exist for it. */
  #manageable(state: KeyState, by: Principal): Result<IssuedKey, KeyRefusal> {
    if (state.status !== 'issued' || state.key.organization !== by.organization) return err('key_not_found');
    const { role } = this.#asOfNow(state.key);
    return isAtMost(role, by.role) ? ok(state.key) : err('key_above_role');
  }

  #issuedIn(state: KeyState): Result<IssuedKey, KeyRefusal> {
    return state.status === 'issued' ? ok(this.#asOfNow(state.key)) : err('key_not_found');
  }

  /** A command line without a server does not know the keys; it may do everything with them. */
  #asOfNow(key: IssuedKey): IssuedKey {
    return this.#keys.get(key.id) ?? key;
  }
}
