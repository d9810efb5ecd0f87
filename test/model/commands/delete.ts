import fc from 'fast-check';
import { type Client, expectStatus } from '../client.ts';
import { expectGone } from '../compare.ts';
import { expectHidden } from '../compare-memories.ts';
import type { Model, ModelDocument } from '../contract/model.ts';
import { Command } from './command.ts';
import { type Address, address, addressed, pick, shown, TAGS, tag } from './values.ts';

/** Deletes one document. */
class DeleteDocument extends Command {
  readonly pick: number;
  readonly by: Address;

  constructor(pick: number, by: Address) {
    super();
    this.pick = pick;
    this.by = by;
  }

  check(model: Model): boolean {
    return model.documents.length > 0;
  }

  async perform(model: Model, client: Client): Promise<void> {
    const document = model.pick(this.pick) as ModelDocument;
    const { path, found } = addressed(model, document, this.by, 'deletedBy');
    const answer = await client.request('DELETE', path);
    if (found === undefined) return expectStatus(answer, 404);
    // A former attempt may have deleted it.
    expectStatus(answer, 204, ...(answer.attempts > 1 ? [404] : []));
    model.delete([found]);
    await expectGone(client, [found]);
  }

  toString(): string {
    return `Delete(document ${this.pick} by ${this.by})`;
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
    const { selector } = this;
    const selected = this.#selected(model);
    const documents = selected.filter((one) => !this.#isAmbiguous(model, one));
    const ambiguous = new Set(selected.filter((one) => !documents.includes(one)).map(({ customId }) => customId));
    const refused = 'picks' in selector ? ambiguous.size + 1 : 0;
    const carries = (tag: string) => 'tags' in selector && selector.tags.includes(tag);
    const count = documents.length + model.memories.all.filter(({ tag }) => carries(tag)).length;
    const answer = await client.request('DELETE', '/v3/documents/bulk', this.#body(selected));
    expectStatus(answer, 200);
    const { success, deletedCount, errors = [] } = answer.body;
    // A retry after the end of the first attempt finds nothing more.
    const isWhole = deletedCount === count && success === (refused === 0) && errors.length === refused;
    if (answer.attempts === 1 && !isWhole) {
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

  /** Several documents have the customId that the request sends. */
  #isAmbiguous(model: Model, { customId }: ModelDocument): boolean {
    const { selector } = this;
    const isNamed = 'picks' in selector && selector.byCustomId && customId !== null;
    return isNamed && model.named(customId).length > 1;
  }

  #body(documents: readonly ModelDocument[]): object {
    const { selector } = this;
    if (!('picks' in selector)) return 'tags' in selector ? { containerTags: selector.tags } : selector;
    const names = documents.map(({ id, customId }) => (selector.byCustomId ? (customId ?? id) : id));
    return { ids: [...names, 'of-no-document'] };
  }

  toString(): string {
    return `DeleteMany(${shown(this.selector)})`;
  }
}

export const deletions: fc.Arbitrary<Command> = fc.tuple(pick, address).map((parts) => new DeleteDocument(...parts));

export const bulkDeletions: fc.Arbitrary<Command> = fc
  .oneof<fc.Arbitrary<Selector>[]>(
    fc.record({ picks: fc.array(pick, { minLength: 1, maxLength: 3 }), byCustomId: fc.boolean() }),
    fc.record({ tags: fc.uniqueArray(tag, { minLength: 1, maxLength: TAGS.length - 1 }) }),
    fc.record({ filepath: fc.constantFrom('/a/', '/a/b.md', '/d.md') }),
  )
  .map((selector) => new DeleteMany(selector));
