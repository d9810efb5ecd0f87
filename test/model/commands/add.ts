import fc from 'fast-check';
import { until } from '../../../libs/platform/kernel/src/testing/eventually.ts';
import { type Answer, type Client, documentPath, expectStatus } from '../client.ts';
import type { Model, ModelDocument, Name, Sent } from '../contract/model.ts';
import { Command } from './command.ts';
import { bodyOf, hasRoom, sent, shown } from './values.ts';

/** Adds a text; one with the customId of a document is compared with what that has. */
export class Add extends Command {
  readonly sent: Sent;

  constructor(sent: Sent) {
    super();
    this.sent = sent;
  }

  check(model: Model): boolean {
    return hasRoom(model, [this.sent]);
  }

  async perform(model: Model, client: Client): Promise<void> {
    await add(model, client, this.sent);
  }

  toString(): string {
    return `Add(${shown(this.sent)})`;
  }
}

/** Sends an add and applies it to the model. */
export async function add(model: Model, client: Client, wanted: Sent): Promise<void> {
  const sent = wanted.customId === null ? unique(wanted, client) : wanted;
  const known = model.destination(sent);
  await fileRead(model, client, sent);
  const answer = await client.post('/v3/documents', bodyOf(sent));
  expectStatus(answer, 200);
  expectDestination(model, sent, answer.body.id);
  model.add(answer.body.id, sent, known !== undefined && (await isTakenForRepeated(known, sent, answer, client)));
}

/** @throws if an add was answered with the id of another document */
export function expectDestination(model: Model, name: Name, id: string): void {
  const known = model.destination(name);
  const isRight = known === undefined ? model.documents.every((one) => one.id !== id) : known.id === id;
  if (!isRight) throw new Error(`${shown(name)} was answered with ${id} instead of ${known?.id ?? 'a new document'}`);
}

/** A text that equals the last delta, and is sent again because a process ended, may be taken for a retry of that delta. */
async function isTakenForRepeated(known: ModelDocument, sent: Sent, answer: Answer, client: Client): Promise<boolean> {
  if (answer.attempts === 1 || known.lastDelta?.content !== sent.content) return false;
  // While its file is read, the text that waits is not shown.
  const { body } = await processed(known, client);
  return body.content === known.content;
}

/** A text that waits for the file of its document to be read restores nothing of what was forgotten there. */
export async function fileRead(model: Model, client: Client, name: Name): Promise<void> {
  const known = model.destination(name);
  if (known?.isFile && model.passages.of(known.id).length > 0) await processed(known, client);
}

const processed = ({ id }: ModelDocument, client: Client): Promise<Answer> =>
  until(
    () => client.get(documentPath(id)),
    ({ body: { status } }) => ['done', 'failed'].includes(status),
    client.target.patienceMs,
  );

/** A retry without a customId is answered with an equal document, so no two may be equal. */
export const unique = <T extends { readonly content: string }>(sent: T, client: Client): T =>
  sent.content.startsWith('http')
    ? { ...sent, content: `${sent.content}/${++client.serial}` }
    : { ...sent, content: `${sent.content}\nNumber ${++client.serial}.` };

export const adds: fc.Arbitrary<Command> = sent.map((one) => new Add(one));
