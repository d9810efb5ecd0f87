import fc from 'fast-check';
import { type Client, expectStatus } from '../client.ts';
import type { Model, Sent } from '../contract/model.ts';
import { expectDestination, unique } from './add.ts';
import { Command } from './command.ts';
import { hasRoom, pick, sent, shown } from './values.ts';

/** Bytes of a format that is not read. */
const PDF = '%PDF-1.7\n%âãÏÓ\n';

/** Uploads a text file, or one that cannot be read. */
class Upload extends Command {
  readonly sent: Sent;
  readonly isReadable: boolean;

  constructor(sent: Sent, isReadable: boolean) {
    super();
    this.sent = sent;
    this.isReadable = isReadable;
  }

  check(model: Model): boolean {
    return hasRoom(model, [this.sent]) && !this.sent.content.startsWith('http');
  }

  async perform(model: Model, client: Client): Promise<void> {
    const { content } = unique(this.sent, client);
    await upload(model, client, { ...this.sent, content: this.isReadable ? content : `${PDF}${content}` });
  }

  toString(): string {
    return `Upload(${this.isReadable ? 'text' : 'unreadable'}, ${shown(this.sent)})`;
  }
}

/** Uploads the file of a document again, which changes nothing of its content. */
class UploadAgain extends Command {
  readonly pick: number;

  constructor(pick: number) {
    super();
    this.pick = pick;
  }

  check(model: Model): boolean {
    const document = model.pick(this.pick, hasNamedFile);
    return document !== undefined && model.destination(document) === document;
  }

  async perform(model: Model, client: Client): Promise<void> {
    const { file, customId, tags } = model.pick(this.pick, hasNamedFile) as { file: string } & Sent;
    await upload(model, client, { content: file, customId, tags, metadata: null });
  }

  toString(): string {
    return `UploadAgain(the file of document ${this.pick})`;
  }
}

const hasNamedFile = ({ file, customId }: { file: string | null; customId: string | null }): boolean =>
  file !== null && customId !== null;

async function upload(model: Model, client: Client, { content, ...details }: Sent): Promise<void> {
  const { customId, tags, metadata } = details;
  const isReadable = !content.startsWith('%PDF');
  const name = isReadable ? 'notes.txt' : 'scan.pdf';
  const form = () => {
    const parts = new FormData();
    parts.append('file', new File([content], name, { type: isReadable ? 'text/plain' : 'application/pdf' }));
    if (tags.length > 0) parts.append('containerTags', JSON.stringify(tags));
    if (customId !== null) parts.append('customId', customId);
    if (metadata !== null) parts.append('metadata', JSON.stringify(metadata));
    return parts;
  };
  const answer = await client.request('POST', '/v3/documents/file', form);
  if (model.refusesFile(details)) {
    expectStatus(answer, 409);
    return;
  }
  expectStatus(answer, 200);
  expectDestination(model, details, answer.body.id);
  model.upload(answer.body.id, isReadable ? content : null, details);
}

export const uploads: fc.Arbitrary<Command> = fc
  .tuple(
    sent,
    fc.nat(4).map((n) => n > 0),
  )
  .map((parts) => new Upload(...parts));
export const repeatedUploads: fc.Arbitrary<Command> = pick.map((one) => new UploadAgain(one));
