import fc from 'fast-check';
import { type Client, expectStatus } from '../client.ts';
import type { Model, ModelDocument } from '../contract/model.ts';
import { add } from './add.ts';
import { Command } from './command.ts';
import { bodyOf, metadata, pick, shown, tags, text } from './values.ts';

const RETRY = { 'x-stainless-retry-count': '1' };

/** How a client that keeps its own copy sends a text again. */
const CHANGES = {
  resend: (content: string) => content,
  grow: (content: string, line: string) => `${content}\n${line}`,
  insert: (content: string, line: string, at: number) => spliced(content, at, 0, line),
  replace: (content: string, line: string, at: number) => spliced(content, at, 1, line),
  remove: (content: string, _line: string, at: number) => spliced(content, at, 1),
  delta: (_content: string, line: string) => line,
} as const;

type Kind = keyof typeof CHANGES;

function spliced(content: string, at: number, removed: number, ...added: string[]): string {
  const lines = content.split('\n');
  lines.splice(at % lines.length, removed, ...added);
  return lines.join('\n');
}

const isTextual = ({ customId, content }: ModelDocument): boolean => customId !== null && content !== '';

/** Sends the text of a document again, as it is, edited, longer, or only its new part. */
class ChangeText extends Command {
  readonly kind: Kind;
  readonly pick: number;
  readonly line: string;
  readonly at: number;
  readonly details: Pick<ModelDocument, 'tags' | 'metadata'>;

  constructor(kind: Kind, pick: number, line: string, at: number, details: ChangeText['details']) {
    super();
    this.kind = kind;
    this.pick = pick;
    this.line = line;
    this.at = at;
    this.details = details;
  }

  check(model: Model): boolean {
    const document = model.pick(this.pick, isTextual);
    return document !== undefined && this.#changed(document).trim() !== '';
  }

  async perform(model: Model, client: Client): Promise<void> {
    const document = model.pick(this.pick, isTextual) as ModelDocument;
    await add(model, client, { content: this.#changed(document), customId: document.customId, ...this.details });
  }

  #changed({ content }: ModelDocument): string {
    return CHANGES[this.kind](content, this.line, this.at);
  }

  toString(): string {
    const { kind, pick, line, at, details } = this;
    return `ChangeText(${kind} of document ${pick}, line ${at}, ${shown({ line, ...details })})`;
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
    return model.pick(this.pick, hasDelta) !== undefined;
  }

  async perform(model: Model, client: Client): Promise<void> {
    const document = model.pick(this.pick, hasDelta) as ModelDocument;
    const sent = document.lastDelta as NonNullable<ModelDocument['lastDelta']>;
    if (!this.isRetry) return add(model, client, sent);
    // Its text and its details are there already.
    expectStatus(await client.post('/v3/documents', bodyOf(sent), RETRY), 200);
  }

  toString(): string {
    return `RepeatDelta(of document ${this.pick}${this.isRetry ? ', as a retry' : ''})`;
  }
}

const hasDelta = ({ lastDelta, customId }: ModelDocument): boolean =>
  lastDelta !== null && lastDelta.customId === customId;

export const textChanges: fc.Arbitrary<Command> = fc
  .tuple(
    fc.constantFrom(...(Object.keys(CHANGES) as Kind[])),
    pick,
    text.map((one) => one.split('\n')[0] as string),
    fc.nat(200),
    fc.record({ tags: tags.map((some) => [...some]), metadata }),
  )
  .map((parts) => new ChangeText(...parts));

export const repeatedDeltas: fc.Arbitrary<Command> = fc
  .tuple(pick, fc.boolean())
  .map((parts) => new RepeatDelta(...parts));
