import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { type Client, expectStatus, tagPath } from '../client.ts';
import { expectGone } from '../compare.ts';
import { expectHidden } from '../compare-memories.ts';
import type { Model } from '../contract/model.ts';
import { Command } from './command.ts';
import { TAGS, tag } from './values.ts';

const MERGE_TAKES_MS = 30_000;

/** Gives a tag a name. */
class NameTag extends Command {
  readonly tag: string;
  readonly name: string;

  constructor(tag: string, name: string) {
    super();
    this.tag = tag;
    this.name = name;
  }

  check(): boolean {
    return true;
  }

  async perform(model: Model, client: Client): Promise<void> {
    const answer = await client.request('PATCH', tagPath(this.tag), { name: this.name });
    const exists = model.tags().includes(this.tag);
    expectStatus(answer, exists ? 200 : 404);
    if (exists) model.tagNames.set(this.tag, this.name);
  }

  toString(): string {
    return `NameTag(${this.tag}, ${this.name})`;
  }
}

/** Deletes a tag, with the documents that carry no other. */
class DeleteTag extends Command {
  readonly tag: string;

  constructor(tag: string) {
    super();
    this.tag = tag;
  }

  check(): boolean {
    return true;
  }

  async perform(model: Model, client: Client): Promise<void> {
    const answer = await client.request('DELETE', tagPath(this.tag));
    const exists = model.tags().includes(this.tag);
    expectStatus(answer, ...(exists ? [200] : []), ...(exists && answer.attempts === 1 ? [] : [404]));
    const before = [...model.documents];
    const memories = model.deleteTag(this.tag);
    await expectGone(
      client,
      before.filter((one) => !model.documents.includes(one)),
    );
    await expectHidden(client, memories, model.memories);
  }

  toString(): string {
    return `DeleteTag(${this.tag})`;
  }
}

/** Moves the documents of tags to another one, and waits until that is done. */
class MergeTags extends Command {
  readonly sources: readonly string[];
  readonly target: string;

  constructor(sources: readonly string[], target: string) {
    super();
    this.sources = sources;
    this.target = target;
  }

  check(): boolean {
    return !this.sources.includes(this.target);
  }

  async perform(model: Model, client: Client): Promise<void> {
    const { sources: containerTags, target: targetContainerTag } = this;
    const answer = await client.post('/v3/container-tags/merge', { containerTags, targetContainerTag });
    const exist = containerTags.every((one) => model.tags().includes(one));
    // A former attempt may have begun the merge, or completed it.
    expectStatus(answer, exist ? 202 : 404, ...(exist && answer.attempts > 1 ? [404, 409] : []));
    if (!exist) return;
    await this.#ended(client, answer.body.mergeId);
    model.mergeTags(containerTags, targetContainerTag);
  }

  /** Until then, writes to a source are refused. @param id undefined: the answer that had it was lost */
  async #ended(client: Client, id: string | undefined): Promise<void> {
    for (const end = Date.now() + MERGE_TAKES_MS; Date.now() < end; await pause(10)) {
      if (id !== undefined) {
        const { body } = await client.get(`/v3/container-tags/merge/${id}`);
        if (body.status === 'completed') return;
        continue;
      }
      const { body } = await client.get('/v3/container-tags/list');
      const isOver = (one: ListedTag) => one.mergeStatus === undefined && !this.sources.includes(one.containerTag);
      if ((body as ListedTag[]).every(isOver)) return;
    }
    throw new Error(`the merge of ${this.sources} into ${this.target} did not end`);
  }

  toString(): string {
    return `MergeTags(${this.sources} into ${this.target})`;
  }
}

interface ListedTag {
  readonly containerTag: string;
  readonly mergeStatus?: string;
}

export const tagNames: fc.Arbitrary<Command> = fc
  .tuple(tag, fc.constantFrom('First', 'Second'))
  .map((parts) => new NameTag(...parts));
export const tagDeletions: fc.Arbitrary<Command> = tag.map((one) => new DeleteTag(one));
export const tagMerges: fc.Arbitrary<Command> = fc
  .tuple(fc.uniqueArray(tag, { minLength: 1, maxLength: TAGS.length - 1 }), tag)
  .map((parts) => new MergeTags(...parts));
