import fc from 'fast-check';
import { type Client, documentPath, expectStatus } from '../client.ts';
import type { Model, ModelDocument, Patch } from '../contract/model.ts';
import { Command } from './command.ts';
import { customId, metadata, nameOf, pick, shown, tags, text } from './values.ts';

/** Changes a document: content, customId, tags, metadata or filepath. */
class PatchDocument extends Command {
  readonly pick: number;
  readonly byCustomId: boolean;
  readonly patch: Patch;

  constructor(pick: number, byCustomId: boolean, patch: Patch) {
    super();
    this.pick = pick;
    this.byCustomId = byCustomId;
    this.patch = patch;
  }

  check(model: Model): boolean {
    const { customId } = this.patch;
    return model.documents.length > 0 && (customId === undefined || !model.unsettledNames.has(customId));
  }

  async perform(model: Model, client: Client): Promise<void> {
    const document = model.pick(this.pick) as ModelDocument;
    // By its id, so that a retry finds it under its new name as well.
    const byCustomId = this.byCustomId && this.patch.customId === undefined;
    const { tags: containerTags, ...fields } = this.patch;
    const body = { ...fields, ...(containerTags && { containerTags }) };
    const answer = await client.request('PATCH', documentPath(nameOf(document, byCustomId)), body);
    const former = document.customId;
    const isFree = model.patch(document, this.patch);
    const isRenamed = former !== null && former !== document.customId;
    if (isRenamed && answer.attempts > 1) model.unsettledNames.add(former);
    expectStatus(answer, isFree ? 200 : 409);
    if (isFree && answer.body.id !== document.id) throw new Error(`PATCH of ${document.id} changed ${answer.body.id}`);
  }

  toString(): string {
    return `Patch(document ${this.pick}${this.byCustomId ? ' by customId' : ''}, ${shown(this.patch)})`;
  }
}

export const patches: fc.Arbitrary<Command> = fc
  .tuple(
    pick,
    fc.boolean(),
    fc
      .record(
        {
          content: text,
          customId: customId,
          tags: tags,
          metadata: metadata.map((one) => one ?? { kind: 'none' }),
          filepath: fc.constantFrom('/a/b.md', '/a/c.md', '/d.md'),
        },
        { requiredKeys: [] },
      )
      .filter((patch) => Object.keys(patch).length > 0),
  )
  .map((parts) => new PatchDocument(...parts));
