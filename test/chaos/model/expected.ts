/**
 * The checker's own model: what was sent, and what was acknowledged. It knows nothing of events, stages or engines. After a
 * write whose outcome is unknown, more than one state is possible.
 */

export interface State {
  readonly content: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, number>>;
}

/** Returns the state that a write leaves behind; null: the document is absent. */
export type Effect = (before: State | null) => State | null;

/** A document of one client, which makes one write to it at a time. */
export class ExpectedDocument {
  /** Name of the key of its client. */
  readonly caller: string;
  readonly customId: string | null;
  /** Null until an add is acknowledged. */
  id: string | null = null;
  /** More than one after a write whose outcome is unknown. */
  possible: readonly (State | null)[] = [null];
  /** One word of each text that was sent for this document. No other text has it. */
  readonly markers: string[] = [];

  constructor(caller: string, customId: string | null) {
    this.caller = caller;
    this.customId = customId;
  }

  /** Notes a write that was carried out exactly once, after all earlier ones. */
  acknowledged(effect: Effect): void {
    this.possible = this.possible.map(effect);
  }

  /** Notes a write that was carried out, was not carried out, or will be. No further write may follow. */
  unknown(effect: Effect): void {
    this.possible = [...this.possible, ...this.possible.map(effect)];
  }

  get mustExist(): boolean {
    return this.possible.every((state) => state !== null);
  }

  get mustBeAbsent(): boolean {
    return this.possible.every((state) => state === null);
  }
}

/** All documents that clients have sent. */
export class Expectations {
  readonly documents: ExpectedDocument[] = [];
  readonly #byId = new Map<string, ExpectedDocument>();

  create(caller: string, customId: string | null): ExpectedDocument {
    const document = new ExpectedDocument(caller, customId);
    this.documents.push(document);
    return document;
  }

  /** Sets the id of a document. Returns false if another document has this id. */
  identify(document: ExpectedDocument, id: string): boolean {
    const known = this.#byId.get(id);
    if (known !== undefined && known !== document) return false;
    document.id = id;
    this.#byId.set(id, document);
    return true;
  }

  byId(id: string): ExpectedDocument | undefined {
    return this.#byId.get(id);
  }

  /** The documents of these keys. */
  of(callers: readonly string[]): readonly ExpectedDocument[] {
    return this.documents.filter(({ caller }) => callers.includes(caller));
  }
}
