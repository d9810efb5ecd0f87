import { type Clock, systemClock } from '#platform/kernel';
import { FollowedStates, type RecordedEvent } from '#ports/event-store';
import { absent, foldSession, isOver, type SessionState, TOTAL_MS } from './session.ts';
import { sessionIdIn } from './streams.ts';

/** How often those that are over are forgotten. Milliseconds. */
const FORGET_MS = 3_600_000;

/** The sessions of the log in memory that can still count. */
export class KnownSessions {
  /** Of the streams whose events are applied. */
  readonly categories = ['session'];
  readonly #clock: Clock;
  readonly #states = new FollowedStates<SessionState>({
    ...{ idIn: sessionIdIn, initialState: absent, evolve: foldSession },
  });
  #forgetAt = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** As of `FollowedStates`. */
  apply(event: RecordedEvent): void {
    if (sessionIdIn(event.stream) === null) return;
    // Of a session that is over, whatever came after this.
    if (this.#clock.now() - Date.parse(event.envelope.at) >= TOTAL_MS) return;
    this.#states.apply(event);
    this.#forgetOver();
  }

  /** As of `FollowedStates`. */
  set(id: string, state: SessionState, revision: number): void {
    this.#states.set(id, state, revision);
  }

  stateOf(id: string): SessionState {
    return this.#states.get(id) ?? absent;
  }

  get size(): number {
    return this.#states.states().length;
  }

  #forgetOver(): void {
    const now = this.#clock.now();
    if (now < this.#forgetAt) return;
    this.#forgetAt = now + FORGET_MS;
    for (const [id, state] of this.#states.entries()) {
      if (isOver(state, now)) this.#states.forget(id);
    }
  }
}
