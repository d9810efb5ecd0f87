import { type EventRef, positionOf } from '../../positions.ts';
import { EventLogReplacedError } from './errors.ts';
import type { LogReader } from './log-reader.ts';

/** Notices that the log was replaced by one with another history, by the last event that this client has followed. */
export class LogHistory {
  readonly #reader: Pick<LogReader, 'newestEvent' | 'holds'>;
  readonly #end: (reason: Error) => void;
  readonly #replaced = Promise.withResolvers<Error>();
  /** Null: none yet. */
  #last: EventRef | null = null;

  /** @param end called with the reason when the log was replaced */
  constructor(reader: Pick<LogReader, 'newestEvent' | 'holds'>, end: (reason: Error) => void) {
    this.#reader = reader;
    this.#end = end;
  }

  /** Resolves with the reason when the log was replaced. */
  get replaced(): Promise<Error> {
    return this.#replaced.promise;
  }

  /** @param event one of Mneme's, in the order of the log */
  followed(event: EventRef): void {
    this.#last = event;
  }

  /** Whether the log still holds the last event. */
  async isSame(): Promise<boolean> {
    this.#last ??= await this.#reader.newestEvent();
    if (this.#last === null || (await this.#reader.holds(positionOf(this.#last)))) return true;
    const replaced = new EventLogReplacedError(
      'The event log was replaced, for example by an older copy, while this process ran. It ends, because what it holds in ' +
        'memory follows from the former log. Start it again: it then rebuilds the views.',
    );
    this.#end(replaced);
    this.#replaced.resolve(replaced);
    return false;
  }
}
