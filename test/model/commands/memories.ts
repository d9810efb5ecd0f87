import fc from 'fast-check';
import { type Client, expectStatus, MEMORIES_PATH as PATH } from '../client.ts';
import { expectFound, expectHidden } from '../compare-memories.ts';
import { FUTURE, latestOf, type ModelMemory, PAST, type Revision, type Statement } from '../contract/memories.ts';
import type { Model } from '../contract/model.ts';
import { WORDS } from '../contract/words.ts';
import { Command } from './command.ts';
import { MAX_MEMORIES, pickMemory, shown, tag, words } from './values.ts';

/** A statement that is new, or what the latest version of the n-th memory says. */
type Item = Statement | { readonly like: number };

/** Records statements of which some may be there already. */
class RecordMemories extends Command {
  readonly tag: string;
  readonly items: readonly Item[];
  readonly isKeyed: boolean;

  constructor(tag: string, items: readonly Item[], isKeyed: boolean) {
    super();
    this.tag = tag;
    this.items = items;
    this.isKeyed = isKeyed;
  }

  check(model: Model): boolean {
    return model.memories.all.length + this.items.length <= MAX_MEMORIES;
  }

  async perform(model: Model, client: Client): Promise<void> {
    const statements = this.items.map((item) => {
      if (!('like' in item)) return { ...item, text: `${item.text}\nNumber ${++client.serial}.` };
      const known = model.memories.pick(item.like);
      return known === undefined ? plain(`${WORDS[0]}\nNumber ${++client.serial}.`) : latestOf(known);
    });
    // Of a retry without a key, what has expired by then would be recorded again.
    const isKeyed = this.isKeyed || statements.some(({ forgetAfter }) => forgetAfter === PAST);
    const memories = statements.map(({ text: content, isStatic, metadata, forgetAfter, forgetReason }) => ({
      ...{ content, isStatic, metadata, forgetAfter, forgetReason },
    }));
    const headers: Record<string, string> = isKeyed ? { 'idempotency-key': crypto.randomUUID() } : {};
    const answer = await client.post(PATH, { containerTag: this.tag, memories }, headers);
    expectStatus(answer, 201);
    const ids = answer.body.memories.map(({ id }: { readonly id: string }) => id);
    if (ids.length !== statements.length || !model.memories.record(this.tag, statements, ids)) {
      throw new Error(`the memories are not answered as they should be: ${shown(answer.body)}`);
    }
    await expectFound(client, this.tag, model.memories);
  }

  toString(): string {
    return `RecordMemories(in ${this.tag}${this.isKeyed ? ', with a key' : ''}: ${shown(this.items)})`;
  }
}

/** By the id of one of its versions, or by its text, if only one memory can be meant. */
interface Naming {
  readonly pick: number;
  readonly version: number;
  readonly byText: boolean;
}

function nameOf(model: Model, { pick, version, byText }: Naming) {
  const memory = model.memories.pick(pick) as ModelMemory;
  const { text } = latestOf(memory);
  const isClear = model.memories.withText(memory.tag, text).length === 1;
  const named = memory.versions[version % memory.versions.length] as { readonly id: string };
  return { memory, name: byText && isClear ? { content: text } : { id: named.id } };
}

abstract class OfOneMemory extends Command {
  readonly naming: Naming;

  constructor(naming: Naming) {
    super();
    this.naming = naming;
  }

  check(model: Model): boolean {
    return model.memories.all.length > 0;
  }
}

class ReviseMemory extends OfOneMemory {
  readonly revision: Partial<Revision>;

  constructor(naming: Naming, revision: Partial<Revision>) {
    super(naming);
    this.revision = revision;
  }

  async perform(model: Model, client: Client): Promise<void> {
    const { memory, name } = nameOf(model, this.naming);
    // Of others that say the same, the answer does not tell the ids of the new versions.
    if (model.memories.equal([memory]).length > 1) return;
    // Without a new text, the details alone change, or nothing.
    const text = this.revision.text === undefined ? latestOf(memory).text : `${this.revision.text} ${++client.serial}.`;
    const { text: _, ...details } = this.revision;
    const next = model.memories.revised(memory, { ...details, text });
    const body = { containerTag: memory.tag, ...name, newContent: text, ...details };
    const answer = await client.request('PATCH', PATH, body);
    if (memory.forgotten !== null) return expectStatus(answer, 404);
    // A former attempt may have changed the text that names the memory.
    const isUnnamed = answer.attempts > 1 && 'content' in name && next !== null && text !== name.content;
    expectStatus(answer, 200, ...(isUnnamed ? [404] : []));
    const { id, version } = answer.status === 404 ? await latestIn(client, memory) : answer.body;
    if (next !== null) model.memories.revise(memory, next, id);
    if (latestOf(memory).id !== id || version !== memory.versions.length) {
      throw new Error(`version ${version} with the id ${id} answers ${this} of ${shown(memory)}`);
    }
    await expectFound(client, memory.tag, model.memories);
  }

  toString(): string {
    return `ReviseMemory(${shown({ ...this.naming, ...this.revision })})`;
  }
}

async function latestIn(client: Client, { tag, versions }: ModelMemory) {
  const { body } = await client.post(`${PATH}/list`, { containerTags: [tag], includeForgotten: true, limit: 1_000 });
  const entries = body.memoryEntries as readonly { readonly id: string; version: number; rootMemoryId: string }[];
  return entries.find(({ rootMemoryId }) => rootMemoryId === versions[0]?.id) ?? { id: '', version: 0 };
}

class ForgetMemory extends OfOneMemory {
  readonly reason: string | null;

  constructor(naming: Naming, reason: string | null) {
    super(naming);
    this.reason = reason;
  }

  async perform(model: Model, client: Client): Promise<void> {
    const { memory, name } = nameOf(model, this.naming);
    const body = { containerTag: memory.tag, ...name, ...(this.reason !== null && { reason: this.reason }) };
    const answer = await client.request('DELETE', PATH, body);
    if (memory.forgotten !== null) return expectStatus(answer, 409);
    // A former attempt may have forgotten it.
    expectStatus(answer, 200, ...(answer.attempts > 1 ? [409] : []));
    const equal = model.memories.equal([memory]);
    for (const one of equal) one.forgotten = { reason: this.reason };
    if (answer.status === 200) await expectHidden(client, equal, model.memories);
  }

  toString(): string {
    return `ForgetMemory(${shown({ ...this.naming, reason: this.reason })})`;
  }
}

/** Several memories of one tag, by ids, one of which is unknown. */
abstract class OfSeveralMemories extends Command {
  readonly picks: readonly number[];

  constructor(picks: readonly number[]) {
    super();
    this.picks = picks;
  }

  check(model: Model): boolean {
    return model.memories.all.length > 0;
  }

  protected named(model: Model) {
    const picked = this.picks.map((pick) => model.memories.pick(pick) as ModelMemory);
    const containerTag = (picked[0] as ModelMemory).tag;
    const memories = new Set(picked.filter(({ tag }) => tag === containerTag));
    const ids = [...picked.map(({ versions }) => versions[0]?.id), 'of-no-memory'];
    return { memories: [...memories], body: { containerTag, ids } };
  }
}

class ForgetMatching extends OfSeveralMemories {
  readonly dryRun: boolean;

  constructor(picks: readonly number[], dryRun: boolean) {
    super(picks);
    this.dryRun = dryRun;
  }

  async perform(model: Model, client: Client): Promise<void> {
    const { memories, body } = this.named(model);
    const affected = memories.filter(({ forgotten }) => forgotten === null);
    const answer = await client.post(`${PATH}/forget-matching`, { ...body, dryRun: this.dryRun, reason: 'several' });
    expectStatus(answer, 200);
    const { count, forgotten = [], candidates = [] } = answer.body;
    const statements = new Set(affected.map((memory) => latestOf(memory).text)).size;
    const isWhole = count === statements && forgotten.length + candidates.length === count;
    if (!isWhole && answer.attempts === 1) throw new Error(`${statements} were to match: ${shown(answer.body)}`);
    if (this.dryRun) return;
    const equal = model.memories.equal(affected).filter(({ forgotten }) => forgotten === null);
    for (const memory of equal) memory.forgotten = { reason: 'several' };
    await expectHidden(client, equal, model.memories);
  }

  toString(): string {
    return `ForgetMatching(memories ${this.picks}${this.dryRun ? ', dry run' : ''})`;
  }
}

class RestoreMemories extends OfSeveralMemories {
  async perform(model: Model, client: Client): Promise<void> {
    const { memories, body } = this.named(model);
    const answer = await client.post(`${PATH}/restore`, body);
    expectStatus(answer, 200);
    for (const memory of model.memories.equal(memories)) model.memories.restore(memory);
    const ids = (answer.body.restored as readonly { readonly id: string }[]).map(({ id }) => id);
    const wanted = memories.map((memory) => latestOf(memory).id);
    if (ids.toSorted().join() !== wanted.toSorted().join()) throw new Error(`${ids} were restored, not ${wanted}`);
    await expectFound(client, body.containerTag, model.memories);
  }

  toString(): string {
    return `RestoreMemories(memories ${this.picks})`;
  }
}

const plain = (text: string): Statement => ({
  ...{ text, isStatic: false, metadata: { said: true }, forgetAfter: null, forgetReason: null },
});
/** By the key `said` a filter tells them from passages of documents. */
const metadata = fc.record({ said: fc.constant(true), n: fc.nat(2) });
const expiry = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ forgetAfter: null, forgetReason: null }) },
  { weight: 2, arbitrary: fc.constant({ forgetAfter: FUTURE, forgetReason: 'later' }) },
  { weight: 1, arbitrary: fc.constant({ forgetAfter: PAST, forgetReason: 'over' }) },
);
const statement: fc.Arbitrary<Statement> = fc
  .record({ text: words, isStatic: fc.boolean(), metadata, expiry })
  .map(({ expiry: { forgetAfter, forgetReason }, ...own }) => ({ ...own, forgetAfter, forgetReason }));
const item = fc.oneof<fc.WeightedArbitrary<Item>[]>(
  { weight: 4, arbitrary: statement },
  { weight: 1, arbitrary: fc.record({ like: pickMemory }) },
);
const naming: fc.Arbitrary<Naming> = fc.record({ pick: pickMemory, version: fc.nat(3), byText: fc.boolean() });
const picks = fc.array(pickMemory, { minLength: 1, maxLength: 3 });

export const recordings: fc.Arbitrary<Command> = fc
  .tuple(tag, fc.array(item, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map((parts) => new RecordMemories(...parts));
export const revisions: fc.Arbitrary<Command> = fc
  .tuple(
    naming,
    fc
      .tuple(fc.option(words, { nil: undefined }), fc.option(metadata, { nil: undefined }), fc.option(expiry))
      .map(([text, own, until]) => ({
        ...(text !== undefined && { text }),
        ...(own !== undefined && { metadata: own }),
        ...until,
      })),
  )
  .map((parts) => new ReviseMemory(...parts));
export const forgettings: fc.Arbitrary<Command> = fc
  .tuple(naming, fc.constantFrom(null, 'why'))
  .map((parts) => new ForgetMemory(...parts));
export const matchings: fc.Arbitrary<Command> = fc
  .tuple(picks, fc.boolean())
  .map((parts) => new ForgetMatching(...parts));
export const restorations: fc.Arbitrary<Command> = picks.map((some) => new RestoreMemories(some));
