/** What memories there are that were recorded directly, as simply as it can be said. */

/** What a version says. */
export interface Statement {
  readonly text: string;
  readonly isStatic: boolean;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** {@link PAST}, {@link FUTURE}, or null: it does not expire. So the model need not know the time. */
  readonly forgetAfter: string | null;
  readonly forgetReason: string | null;
}

/** What a revision sends. */
export type Revision = Pick<Statement, 'text'> & Partial<Omit<Statement, 'text' | 'isStatic'>>;

export interface ModelMemory {
  tag: string;
  /** Oldest first. */
  readonly versions: (Statement & {
    readonly id: string;
    /** Rises from version to version, of all memories. */
    readonly at: number;
  })[];
  /** Null: it is not forgotten. */
  forgotten: { readonly reason: string | null } | null;
}

export const PAST = '2020-01-01T00:00:00.000Z';
export const FUTURE = '2999-01-01T00:00:00.000Z';

/** The versions of a memory, and what became of it. */
type Chain = Omit<ModelMemory, 'tag'>;

export const latestOf = ({ versions }: Chain): Chain['versions'][number] =>
  versions.at(-1) as Chain['versions'][number];

const isExpired = (memory: Chain): boolean => latestOf(memory).forgetAfter === PAST;

/** Neither forgotten nor expired. */
export const isActive = (memory: Chain): boolean => memory.forgotten === null && !isExpired(memory);

/** Whether two memories say the same, for whoever lists or names them. No two texts of the vocabulary differ in their form alone. */
export const areEqual = (one: ModelMemory, other: ModelMemory): boolean =>
  one.tag === other.tag && latestOf(one).text === latestOf(other).text;

const saysTheSame = (one: Statement, other: Statement): boolean =>
  JSON.stringify([one.text, one.isStatic, one.metadata, one.forgetAfter]) ===
  JSON.stringify([other.text, other.isStatic, other.metadata, other.forgetAfter]);

export class Memories {
  readonly all: ModelMemory[] = [];
  /** Ids of first versions of memories that were erased with their tags or documents. */
  readonly erased: string[] = [];
  #writes = 0;

  get active(): readonly ModelMemory[] {
    return this.all.filter(isActive);
  }

  /** Returns memory n modulo their number; undefined: there is none. */
  pick(n: number): ModelMemory | undefined {
    return this.all[n % this.all.length];
  }

  /** Memories of a tag whose latest version has the text. */
  withText(tag: string, text: string): readonly ModelMemory[] {
    return this.all.filter((one) => one.tag === tag && latestOf(one).text === text);
  }

  /**
   * Statements of one request.
   * @param ids of the answer
   * @returns false: an id is not that of a memory which has to answer its statement
   */
  record(tag: string, statements: readonly Statement[], ids: readonly string[]): boolean {
    const before = this.active.filter((one) => one.tag === tag);
    const added: ModelMemory[] = [];
    return statements.every((statement, i) => {
      const id = ids[i] as string;
      const equal = [...before, ...added].filter((one) => saysTheSame(latestOf(one), statement));
      if (equal.length > 0) return equal.some((one) => latestOf(one).id === id);
      const isNew = !this.all.some(({ versions }) => versions.some((version) => version.id === id));
      const memory: ModelMemory = { tag, versions: [{ ...statement, id, at: this.#writes++ }], forgotten: null };
      added.push(memory);
      this.all.push(memory);
      return isNew;
    });
  }

  revise(memory: Chain, next: Statement, id: string): void {
    memory.versions.push({ ...next, id, at: this.#writes++ });
  }

  /** Those that say what some memories say, and are as active as these; these included. */
  equal(memories: readonly ModelMemory[]): readonly ModelMemory[] {
    const isMeant = (one: ModelMemory) =>
      memories.some((named) => isActive(named) === isActive(one) && areEqual(named, one));
    return this.all.filter(isMeant);
  }

  /** What the next version says. Null: the revision changes nothing. */
  revised(memory: Chain, revision: Revision): Statement | null {
    const { id: _, at: __, ...latest } = latestOf(memory);
    const cleared = revision.forgetAfter === null ? { forgetReason: null } : {};
    const next = { ...latest, ...cleared, ...revision };
    return saysTheSame(latest, next) ? null : next;
  }

  restore(memory: Chain): void {
    if (isExpired(memory)) {
      memory.versions.push({ ...memory.versions.pop(), forgetAfter: null, forgetReason: null } as never);
    }
    memory.forgotten = null;
  }

  /** @returns those that are gone */
  erase(tags: readonly string[]): readonly ModelMemory[] {
    const gone = this.all.filter(({ tag }) => tags.includes(tag));
    for (const one of gone) {
      this.all.splice(this.all.indexOf(one), 1);
      this.erased.push(one.versions[0]?.id as string);
    }
    return gone;
  }

  move(sources: readonly string[], target: string): void {
    for (const one of this.all) if (sources.includes(one.tag)) one.tag = target;
  }
}
