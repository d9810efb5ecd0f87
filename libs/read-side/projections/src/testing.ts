import { newId, type OrganizationId } from '#platform/kernel';
import type { EventStore, NewEvent, RecordedEvent } from '#ports/event-store';
import { eventModel, keyedModel, stateModel } from './row-models.ts';

/** Read models for specs, of a library: books are bought, moved and lost, readers join and borrow. */

interface Book {
  readonly title: string | null;
  readonly shelf: string | null;
  readonly moves: number;
}

const NO_BOOK: Book = { title: null, shelf: null, moves: 0 };

const text = (event: RecordedEvent, name: string): string | null => (event.payload?.[name] ?? null) as string | null;

/** The shelf of a book; follows from the final state. */
export const SHELVED = stateModel<Book>({
  name: 'shelved',
  version: 1,
  columns: { title: 'text', shelf: 'text', moves: 'number' },
  indexes: [['shelf']],
  types: ['BookBought', 'BookMoved', 'BookLost'],
  opens: ['BookBought'],
  initialState: NO_BOOK,
  evolve: (book, event) => {
    switch (event.envelope.type) {
      case 'BookBought':
        return { ...book, title: text(event, 'title') };
      case 'BookMoved':
        return { ...book, shelf: text(event, 'shelf'), moves: book.moves + 1 };
      default:
        return NO_BOOK;
    }
  },
  rowsOf: ({ title, shelf, moves }) => (title === null ? [] : [{ title, shelf, moves }]),
});

/** Every move of a book; follows from each event, until the book is lost and its stream erased. */
export const MOVES = eventModel({
  name: 'moves',
  version: 1,
  columns: { shelf: 'text', kind: 'text' },
  types: ['BookMoved', 'BookLost'],
  clears: ({ envelope }) => envelope.type === 'BookLost',
  rowsOf: (event) => [{ shelf: text(event, 'shelf'), kind: event.envelope.type }],
});

/** The last move of a book to each shelf; a move to no shelf removes that of the shelf it names. */
export const LAST_MOVES = keyedModel({
  name: 'last_moves',
  version: 1,
  columns: { shelf: 'text', at: 'number' },
  types: ['BookMoved'],
  rowsOf: (event) => {
    const shelf = text(event, 'shelf');
    if (shelf === null) return [];
    const { stream: owner, revision: order } = event;
    const [, removed] = /^not (.*)$/.exec(shelf) ?? [];
    return [{ owner, key: removed ?? shelf, order, values: removed === undefined ? { shelf, at: order } : null }];
  },
});

/** What is busy, of two stream categories. */
export const BUSY = stateModel<{ readonly events: number; readonly name: string | null }>({
  name: 'busy',
  version: 1,
  columns: { name: 'text', events: 'number' },
  types: ['BookMoved', 'BookLost', 'ReaderJoined', 'ReaderBorrowed'],
  initialState: { events: 0, name: null },
  evolve: ({ events, name }, event) => ({ events: events + 1, name: text(event, 'name') ?? name }),
  rowsOf: ({ events, name }) => [{ name, events }],
});

/** Appends events of one type after the other to streams of one organization. */
export class Library {
  readonly organization = newId() as OrganizationId;
  readonly #store: EventStore;

  constructor(store: EventStore) {
    this.#store = store;
  }

  stream(category: 'book' | 'reader', name: string): string {
    return `${category}-${this.organization}_${name}`;
  }

  buy(book: string): Promise<void> {
    return this.#append(this.stream('book', book), 'BookBought', { title: `The ${book}` });
  }

  move(book: string, shelf: string): Promise<void> {
    return this.#append(this.stream('book', book), 'BookMoved', { shelf });
  }

  /** Erases the stream of the book. */
  lose(book: string): Promise<void> {
    return this.#append(this.stream('book', book), 'BookLost', null, true);
  }

  join(reader: string): Promise<void> {
    return this.#append(this.stream('reader', reader), 'ReaderJoined', { name: reader });
  }

  borrow(reader: string): Promise<void> {
    return this.#append(this.stream('reader', reader), 'ReaderBorrowed', null);
  }

  async #append(stream: string, type: string, payload: NewEvent['payload'], erase = false): Promise<void> {
    const envelope = {
      ...{ id: newId(), type, schemaVersion: 1, at: '2026-01-02T03:00:00.000Z', organization: this.organization },
      ...{ tags: ['library'], actor: 'system', correlationId: newId(), causationId: null },
    };
    const appended = await this.#store.append(stream, [{ envelope, payload }], { expected: 'any', erase });
    if (!appended.ok) throw new Error(`${stream} has another revision`);
  }
}
