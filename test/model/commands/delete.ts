import fc from 'fast-check';
import { type Client, documentPath, expectStatus } from '../client.ts';
import { expectGone } from '../compare.ts';
import { expectHidden } from '../compare-memories.ts';
import type { Model, ModelDocument } from '../contract/model.ts';
import { Command } from './command.ts';
import { nameOf, pick, shown, TAGS, tag } from './values.ts';

/** Deletes one document. */
class DeleteDocument extends Command {
  readonly pick: number;
  readonly byCustomId: boolean;

  constructor(pick: number, byCustomId: boolean) {
    super();
    this.pick = pick;
    this.byCustomId = byCustomId;
  }

  check(model: Model): boolean {
    return model.documents.length > 0;
  }

  async perform(model: Model, client: Client): Promise<void> {
    const document = model.pick(this.pick) as ModelDocument;
    const answer = await client.request('DELETE', documentPath(nameOf(document, this.byCustomId)));
    // A former attempt may have deleted it.
    expectStatus(answer, 204, ...(answer.attempts > 1 ? [404] : []));
    model.delete([document]);
    await expectGone(client, [document]);
  }

  toString(): string {
    return `Delete(document ${this.pick}${this.byCustomId ? ' by customId' : ''})`;
  }
}

type Selector =
  | { readonly picks: readonly number[]; readonly byCustomId: boolean }
  | { readonly tags: readonly string[] }
  | { readonly filepath: string };

/** Deletes documents by their names, tags or path. */
class DeleteMany extends Command {
  readonly selector: Selector;

  constructor(selector: Selector) {
    super();
    this.selector = selector;
  }

  check(model: Model): boolean {
    return model.documents.length > 0;
  }

  async perform(model: Model, client: Client): Promise<void> {
    const documents = this.#selected(model);
    const { selector } = this;
    const carries = (tag: string) => 'tags' in selector && selector.tags.includes(tag);
    const count = documents.length + model.memories.all.filter(({ tag }) => carries(tag)).length;
    const answer = await client.request('DELETE', '/v3/documents/bulk', this.#body(documents));
    expectStatus(answer, 200);
    const { success, deletedCount, errors = [] } = answer.body;
    // A retry after the end of the first attempt finds nothing more.
    const isWhole = deletedCount === count && success === !('picks' in this.selector);
    if (answer.attempts === 1 && (!isWhole || errors.length !== Number('picks' in this.selector))) {
      throw new Error(`${count} were to be deleted: ${shown(answer.body)}`);
    }
    model.delete(documents);
    await expectGone(client, documents);
    if ('tags' in selector) await expectHidden(client, model.memories.erase(selector.tags), model.memories);
  }

  #selected(model: Model): readonly ModelDocument[] {
    const { selector } = this;
    if ('picks' in selector) {
      return [...new Set(selector.picks.map((one) => model.pick(one) as ModelDocument))];
    }
    if ('tags' in selector)
      return model.documents.filter(({ tags }) => tags.some((one) => selector.tags.includes(one)));
    const { filepath } = selector;
    return model.documents.filter((one) =>
      filepath.endsWith('/') ? one.filepath?.startsWith(filepath) : one.filepath === filepath,
    );
  }

  #body(documents: readonly ModelDocument[]): object {
    const { selector } = this;
    if (!('picks' in selector)) return 'tags' in selector ? { containerTags: selector.tags } : selector;
    return { ids: [...documents.map((one) => nameOf(one, selector.byCustomId)), 'of-no-document'] };
  }

  toString(): string {
    return `DeleteMany(${shown(this.selector)})`;
  }
}

export const deletions: fc.Arbitrary<Command> = fc
  .tuple(pick, fc.boolean())
  .map((parts) => new DeleteDocument(...parts));

export const bulkDeletions: fc.Arbitrary<Command> = fc
  .oneof<fc.Arbitrary<Selector>[]>(
    fc.record({ picks: fc.array(pick, { minLength: 1, maxLength: 3 }), byCustomId: fc.boolean() }),
    fc.record({ tags: fc.uniqueArray(tag, { minLength: 1, maxLength: TAGS.length - 1 }) }),
    fc.record({ filepath: fc.constantFrom('/a/', '/a/b.md', '/d.md') }),
  )
  .map((selector) => new DeleteMany(selector));
