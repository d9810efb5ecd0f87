import fc from 'fast-check';
import { type Answer, type Client, expectStatus } from '../client.ts';
import type { Model, ModelDocument, Patch } from '../contract/model.ts';
import { Command } from './command.ts';
import { type Address, address, addressed, customId, metadata, pick, shown, tags, text } from './values.ts';

/** Changes a document: content, customId, tags, metadata or filepath. */
class PatchDocument extends Command {
  readonly pick: number;
  readonly by: Address;
  readonly patch: Patch;

  constructor(pick: number, by: Address, patch: Patch) {
    super();
    this.pick = pick;
    this.by = by;
    this.patch = patch;
  }

  check(model: Model): boolean {
    const { customId } = this.patch;
    return model.documents.length > 0 && (customId === undefined || !model.unsettledNames.has(customId));
  }

  async perform(model: Model, client: Client): Promise<void> {
    const document = model.pick(this.pick) as ModelDocument;
    const { tags: containerTags, ...fields } = this.patch;
    const body = { ...fields, ...(containerTags && { containerTags }) };
    // By its id, so that a retry finds it under its new name as well.
    const isRenaming = this.patch.customId !== undefined || containerTags !== undefined;
    const { path, found } = addressed(model, document, isRenaming ? 'id' : this.by);
    const answer = await client.request('PATCH', path, body);
    if (found === undefined) return expectStatus(answer, 404);
    this.#apply(model, found, answer);
  }

  #apply(model: Model, document: ModelDocument, answer: Answer): void {
    const former = document.customId;
    const isFree = model.patch(document, this.patch);
    const isRenamed = former !== null && former !== document.customId;
    if (isRenamed && answer.attempts > 1) model.unsettledNames.add(former);
    expectStatus(answer, isFree ? 200 : 409);
    if (isFree && answer.body.id !== document.id) throw new Error(`PATCH of ${document.id} changed ${answer.body.id}`);
  }

  toString(): string {
    return `Patch(document ${this.pick} by ${this.by}, ${shown(this.patch)})`;
  }
}

export const patches: fc.Arbitrary<Command> = fc
  .tuple(
    pick,
    address,
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
