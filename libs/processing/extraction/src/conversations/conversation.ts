import type { Json } from '#platform/kernel';

/** What one speaker says at a time. */
export interface Turn {
  /** A name or a role. Null: not known. */
  readonly speaker: string | null;
  /** Name of a speaker that is known by a role. */
  readonly name?: string;
  readonly words: string;
  /** ISO 8601, as the source writes it: with a time zone where that has one. Null: not known. */
  readonly time: string | null;
}

export interface Conversation {
  /** Null: not known, as in the following. */
  readonly title: string | null;
  /** ISO 8601. */
  readonly date: string | null;
  readonly turns: readonly Turn[];
}

/** A form in which conversations are stored or sent as JSON; one file and one line in `formats.ts`. */
export interface ConversationFormat {
  /**
   * Matches the name of a file with conversations in the archive of an export, without its folder. Archives are not read; what
   * is matched is shown to the caller. Absent: the form comes in no archive.
   */
  readonly archived?: RegExp;
  /**
   * Returns the conversations of a file, or of one item of a file that is a list. An item that is no message is left out.
   * Null: the value has another form.
   */
  read(value: Json): readonly Conversation[] | null | Promise<readonly Conversation[] | null>;
}

/** A conversation of which no more is known than its turns. */
export const untitled = (turns: readonly Turn[]): Conversation => ({ title: null, date: null, turns });

/** Whether a list consists of such items: more than half of it. Those that are odd cost no more than themselves. */
export function consistsOf<T>(list: readonly T[], isOne: (item: T) => boolean): boolean {
  let odd = 0;
  for (const item of list) {
    if (!isOne(item)) odd += 1;
    if (odd * 2 >= list.length) return false;
  }
  return list.length > 0;
}
