import type { RecordedEvent } from '#ports/event-store';
import type { Unit } from '#read-side/views';
import { lossIn } from './content-loss/loss.ts';
import type { ChunkRef, ListRef, MemoryRef } from './events.ts';
import { foldDocument } from './model.ts';
import { type DocumentState, initialState, type Live } from './state.ts';
import type { DocumentTexts } from './texts.ts';
import { unitsOf } from './units.ts';

/** With which of the versions that were indexed units came into a document, and with which they left it. From 0. */
export interface Stay {
  readonly came: number;
  readonly left: number;
}

/** The units of a document with the same stay. @template C what follows from them and the others of their document */
export interface FormerUnits<C> extends Stay {
  /** When searches knew them: milliseconds since the epoch. `until` null: until the present content is indexed. */
  readonly from: number;
  readonly until: number | null;
  /** The document with the content that they are of. */
  readonly document: Live;
  /** With their ordinals of then. */
  readonly units: readonly Unit[];
  /** Null: the document is too long for it. */
  readonly context: C | null;
}

export interface UnitHistoryOptions<C> {
  readonly texts: DocumentTexts;
  /** Whether the units of a document take too much memory, so that not all are read. */
  isLong(document: Live): boolean;
  /**
   * @param all units that the document had
   * @param own those of them that have left
   */
  contextOf(document: Live, all: readonly Unit[], own: readonly Unit[]): C;
}

export interface Departures<C> {
  readonly former: readonly FormerUnits<C>[];
  /** Of units that had left for as long as a version was not indexed, and have returned. */
  readonly returned: readonly Stay[];
}

/** Units of a long document that are read when they leave it. */
const MOST_OF_LONG = 50_000;

const NONE: Departures<never> = { former: [], returned: [] };

/** Chunks and memories are named apart. */
const keyOf = (kind: Unit['kind'], id: string): string => `${kind === 'chunk' ? 'c' : 'm'}${id}`;

/** Whether a document has other units than before, or none, while searches still know the former ones. */
const isFormed = ({ stage, memories }: Live): boolean => memories !== null || stage === 'failed';

/**
 * Follows which units of a document leave it. Searches know what was indexed: a version that was not is passed over, and until
 * the next one is indexed, the units of the last one have left for the time being.
 */
export class UnitHistory<C> {
  readonly #options: UnitHistoryOptions<C>;
  /** When the versions were indexed. */
  readonly #times: number[] = [];
  /** With which version the present units came. */
  #came = new Map<string, number>();
  /** As it was indexed last, with what became of it before its content changed, such as vectors that were made later. */
  #indexed: Live | null = null;
  /** Of the units that have left for the time being. */
  #pending: ReadonlySet<number> = new Set();
  #state: DocumentState = initialState;
  #revision = -1;

  constructor(options: UnitHistoryOptions<C>) {
    this.#options = options;
  }

  /** Of the last event that was followed. */
  get revision(): number {
    return this.#revision;
  }

  /** Units that are kept in mind. */
  get size(): number {
    return this.#came.size;
  }

  /** Follows further events of the stream of the document, and returns which units have left with them. */
  async follow(events: readonly RecordedEvent[]): Promise<Departures<C>> {
    const former = new Map<string, FormerUnits<C>>();
    const returned: Stay[] = [];
    const add = (departures: Departures<C>) => {
      for (const one of departures.former) former.set(`${one.came} ${one.left}`, one);
      returned.push(...departures.returned);
    };
    const before = this.#state;
    for (const event of events) {
      if (event.revision <= this.#revision) continue;
      this.#state = foldDocument(this.#state, event);
      this.#revision = event.revision;
      const { type, at } = event.envelope;
      if (type === 'DocumentIndexed' && this.#state.status === 'live') {
        add(await this.#index(this.#state, Date.parse(at)));
      }
      if (this.#state.status === 'live' && this.#state.memories === this.#indexed?.memories)
        this.#indexed = this.#state;
    }
    if (this.#state.status === 'live' && isChanged(before, this.#state)) add(await this.#form(this.#state));
    return { former: [...former.values()], returned };
  }

  async #index(document: Live, at: number): Promise<Departures<C>> {
    const [before, left] = [this.#indexed, this.#times.length];
    this.#times.push(at);
    this.#indexed = document;
    const present = await this.#keysOf(document);
    const came = new Map([...present].map((key) => [key, this.#came.get(key) ?? left]));
    const gone = new Map([...this.#came].filter(([key]) => !came.has(key)));
    this.#came = came;
    const former = before === null ? [] : await this.#grouped(before, gone, left, at);
    return { former, returned: this.#returned(former, left, new Set()) };
  }

  /** The present content is not indexed yet, or has failed. */
  async #form(document: Live): Promise<Departures<C>> {
    if (this.#indexed === null || document.stage === 'done' || !isFormed(document)) return NONE;
    const present = await this.#keysOf(document);
    const gone = new Map([...this.#came].filter(([key]) => !present.has(key)));
    const left = this.#times.length;
    const former = await this.#grouped(this.#indexed, gone, left, null);
    return { former, returned: this.#returned(former, left, new Set(former.map(({ came }) => came))) };
  }

  /** @param pending those of `former` that have left for the time being */
  #returned(former: readonly Stay[], left: number, pending: ReadonlySet<number>): readonly Stay[] {
    const gone = new Set(former.map(({ came }) => came));
    const returned = [...this.#pending].filter((came) => !gone.has(came)).map((came) => ({ came, left }));
    this.#pending = pending;
    return returned;
  }

  async #grouped(
    document: Live,
    gone: ReadonlyMap<string, number>,
    left: number,
    until: number | null,
  ): Promise<FormerUnits<C>[]> {
    if (gone.size === 0) return [];
    const isGone = (kind: Unit['kind'], id: string) => gone.has(keyOf(kind, id));
    const { texts, isLong: isLongOf, contextOf } = this.#options;
    const isLong = isLongOf(document);
    if (isLong && gone.size > MOST_OF_LONG) return [];
    const read = await unlessLost(() => unitsOf(document, texts, isLong ? isGone : undefined), []);
    const own = read.filter(({ kind, id }) => isGone(kind, id));
    const groups = Map.groupBy(own, ({ kind, id }) => gone.get(keyOf(kind, id)) as number);
    return [...groups].map(([came, units]) => {
      const from = came === 0 ? document.createdAt : (this.#times[came] as number);
      return { came, left, from, until, document, units, context: isLong ? null : contextOf(document, read, units) };
    });
  }

  async #keysOf({ chunks, memories }: Live): Promise<ReadonlySet<string>> {
    const read = async (kind: Unit['kind'], list: ListRef<ChunkRef> | ListRef<MemoryRef> | null) => {
      if (list === null) return [];
      const refs = await unlessLost(() => this.#options.texts.readList<ChunkRef | MemoryRef>(list), []);
      return refs.map(([id]) => keyOf(kind, id));
    };
    return new Set([...(await read('chunk', memories && chunks)), ...(await read('memory', memories))]);
  }
}

function isChanged(before: DocumentState, after: Live): boolean {
  if (before.status !== 'live') return true;
  return before.memories !== after.memories || (before.stage !== after.stage && after.stage === 'failed');
}

/** What cannot be read of a former version is not found any more. */
async function unlessLost<T>(read: () => Promise<readonly T[]>, otherwise: readonly T[]): Promise<readonly T[]> {
  try {
    return await read();
  } catch (error) {
    if (lossIn(error) === null) throw error;
    return otherwise;
  }
}
