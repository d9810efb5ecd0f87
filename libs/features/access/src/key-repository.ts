import { err, isAtMost, ok, type Principal, type Result } from '#platform/kernel';
import { type Cause, type CommandHandler, type Model, record } from '#ports/event-store';
import type { IssuedKeys } from './api-keys.ts';
import {
  decideChange,
  decideIssue,
  foldKey,
  type IssuedKey,
  initialKey,
  KEY_EVENTS,
  type KeyChanged,
  type KeyEvent,
  type KeyIssued,
  type KeyState,
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

  async #execute(
    { organization }: Principal,
    cause: Cause,
    id: string,
    decide: (state: KeyState) => Result<readonly KeyEvent[], KeyRefusal>,
  ): Promise<Result<KeyState, KeyRefusal>> {
    const done = await this.#handler.execute<KeyState, KeyRefusal>({
      ...{ stream: keyStream(id), model: MODEL },
      decide: (state, _revision, now) => {
        const events = decide(state);
        return events.ok ? ok(record(KEY_EVENTS, events.value, { organization, cause, tags: [], now })) : events;
      },
    });
    if (!done.ok) return done;
    const { state, revision } = done.value;
    this.#keys.set(id, state, Number(revision));
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
