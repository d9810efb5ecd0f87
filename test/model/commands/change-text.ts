import fc from 'fast-check';
import { type Client, expectStatus } from '../client.ts';
import type { Model, ModelDocument, Sent } from '../contract/model.ts';
import { add } from './add.ts';
import { Command } from './command.ts';
import { addedTags, bodyOf, dated, fitting, hasRoom, line, metadata, pick, shown, turn } from './values.ts';

const RETRY = { 'x-stainless-retry-count': '1' };

/** How a client that keeps its own copy sends a text again, or only a part of it. */
const CHANGES = {
  resend: (content: string) => content,
  grow: (content: string, line: string) => `${content}\n${line}`,
  insert: (content: string, line: string, at: number) => spliced(content, at, 0, line),
  replace: (content: string, line: string, at: number) => spliced(content, at, 1, line),
  remove: (content: string, _line: string, at: number) => spliced(content, at, 1),
  end: (content: string, line: string) => spliced(content, content.split('\n').length - 1, 1, line),
  redate: (content: string, _line: string, at: number) =>
    spliced(content, at, 1, dated(lineAt(content, at), String(at))),
  delta: (_content: string, line: string) => line,
  window: (content: string, line: string, at: number) =>
    `${content
      .split('\n')
      .slice(-(at % 4) - 1)
      .join('\n')}\n${line}`,
} as const;

type Kind = keyof typeof CHANGES;

function spliced(content: string, at: number, removed: number, ...added: string[]): string {
  const lines = content.split('\n');
  lines.splice(at % lines.length, removed, ...added);
  return lines.join('\n');
}

function lineAt(content: string, at: number): string {
  const lines = content.split('\n');
  return lines[at % lines.length] as string;
}

const isTextual = ({ customId, content }: ModelDocument): boolean => customId !== null && content !== '';

interface Change {
  readonly kind: Kind;
  readonly at: number;
  /** What is put into the text, as prose and as a turn. */
  readonly line: string;
  readonly turn: string;
  /** Null: those of the document. */
  readonly tags: readonly string[] | null;
  readonly metadata: Sent['metadata'];
}

/** Sends the text of a document again, as it is, edited, longer, or only its new part. */
class ChangeText extends Command {
  readonly pick: number;
  readonly change: Change;

  constructor(pick: number, change: Change) {
    super();
    this.pick = pick;
    this.change = change;
  }

  check(model: Model): boolean {
    const document = model.pick(this.pick, isTextual);
    if (document === undefined) return false;
    const sent = this.#sent(document);
    return sent.content.trim() !== '' && hasRoom(model, [sent]);
  }

  async perform(model: Model, client: Client): Promise<void> {
    await add(model, client, this.#sent(model.pick(this.pick, isTextual) as ModelDocument));
  }

  #sent({ content, customId, tags }: ModelDocument): Sent {
    const { kind, at, metadata } = this.change;
    const changed = CHANGES[kind](content, fitting(content, this.change), at);
    return { content: changed, customId, tags: this.change.tags ?? tags, metadata };
  }

  toString(): string {
    return `ChangeText(of document ${this.pick}, ${shown(this.change)})`;
  }
}

/** Sends the last delta again. As a retry it must not be appended again; otherwise it is a new one. */
class RepeatDelta extends Command {
  readonly pick: number;
  readonly isRetry: boolean;

  constructor(pick: number, isRetry: boolean) {
    super();
    this.pick = pick;
    this.isRetry = isRetry;
  }

  check(model: Model): boolean {
    return this.#document(model) !== undefined;
  }

  async perform(model: Model, client: Client): Promise<void> {
    const document = this.#document(model) as ModelDocument;
    const sent = document.lastDelta as NonNullable<ModelDocument['lastDelta']>;
    if (!this.isRetry) return add(model, client, sent);
    // Its text and its details are there already.
    expectStatus(await client.post('/v3/documents', bodyOf(sent), RETRY), 200);
  }

  #document(model: Model): ModelDocument | undefined {
    return model.pick(this.pick, (one) => one.lastDelta !== null && model.destination(one.lastDelta) === one);
  }

  toString(): string {
    return `RepeatDelta(of document ${this.pick}${this.isRetry ? ', as a retry' : ''})`;
  }
}

export const textChanges: fc.Arbitrary<Command> = fc
  .tuple(
    pick,
    fc.record({
      kind: fc.constantFrom(...(Object.keys(CHANGES) as Kind[])),
      at: fc.nat(200),
      line,
      turn,
      tags: fc.option(addedTags, { freq: 3, nil: null }),
      metadata,
    }),
  )
  .map((parts) => new ChangeText(...parts));

export const repeatedDeltas: fc.Arbitrary<Command> = fc
  .tuple(pick, fc.boolean())
  .map((parts) => new RepeatDelta(...parts));
