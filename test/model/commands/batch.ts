import fc from 'fast-check';
import { type Client, expectStatus } from '../client.ts';
import type { Model, Name, Sent } from '../contract/model.ts';
import { expectDestination, fileRead, unique } from './add.ts';
import { Command } from './command.ts';
import { bodyOf, hasRoom, sent, shown } from './values.ts';

/** Null: an item that is refused. */
type Item = Sent | null;

/** Adds several texts in one request. */
class Batch extends Command {
  readonly items: readonly Item[];

  constructor(items: readonly Item[]) {
    super();
    this.items = items;
  }

  check(model: Model): boolean {
    const names = this.items.filter((item) => item !== null);
    return hasRoom(model, names) && !names.some((name) => dependsOnOthers(name, names));
  }

  async perform(model: Model, client: Client): Promise<void> {
    const items = this.items.map((item) => (item?.customId === null ? unique(item, client) : item));
    const documents = items.map((item) => (item === null ? { content: '  ' } : bodyOf(item)));
    // Without it, the retry of an item without a customId may add it again.
    const isNamed = items.every((item) => item === null || item.customId !== null);
    const headers = isNamed ? {} : { 'idempotency-key': crypto.randomUUID() };
    for (const one of items) if (one !== null) await fileRead(model, client, one);
    const answer = await client.post('/v3/documents/batch', { documents }, headers as Record<string, string>);
    expectStatus(answer, 200);
    const { results, success, failed } = answer.body as Results;
    const refused = items.filter((item) => item === null).length;
    if (results.length !== items.length || success !== items.length - refused || failed !== refused) {
      throw new Error(`the results of the batch do not fit its items: ${shown(answer.body)}`);
    }
    for (const [i, item] of items.entries()) {
      const { id, status } = results[i] as Results['results'][number];
      if ((item === null) !== (status === 'error')) throw new Error(`item ${i} of the batch is ${status}`);
      if (item === null) continue;
      expectDestination(model, item, id);
      // Which of the deltas of a request is its last one is nothing that a client could rely on.
      model.add(id, item).lastDelta = null;
    }
  }

  toString(): string {
    return `Batch(${this.items.map(shown).join(', ')})`;
  }
}

/** Where an item without tags goes depends on which of the others a former attempt has added. */
const dependsOnOthers = ({ customId, tags }: Name, names: readonly Name[]): boolean =>
  tags.length === 0 && customId !== null && names.some((one) => one.customId === customId && one.tags.length > 0);

interface Results {
  readonly results: readonly { readonly id: string; readonly status: string }[];
  readonly success: number;
  readonly failed: number;
}

const item = fc.option(sent, { nil: null, freq: 6 });
export const batches: fc.Arbitrary<Command> = fc
  .array(item, { minLength: 1, maxLength: 4 })
  .map((items) => new Batch(items));
