import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { type Client, documentPath, expectStatus, MEMORIES_PATH } from '../client.ts';
import { expectCut, passagesOf } from '../compare-passages.ts';
import { isActive, latestOf, PAST, type Revision } from '../contract/memories.ts';
import type { Model, ModelDocument } from '../contract/model.ts';
import type { ModelPassage, ShownPassage } from '../contract/passages.ts';
import { Command } from './command.ts';
import { pick, shown, words } from './values.ts';

const PAUSE_MS = 10;

/** A memory of a document, by the id of one of its versions. */
interface Naming {
  readonly pick: number;
  readonly memory: number;
  readonly version: number;
}

/** A request for one memory of a document. */
abstract class OfOnePassage extends Command {
  readonly naming: Naming;

  constructor(naming: Naming) {
    super();
    this.naming = naming;
  }

  check(model: Model): boolean {
    return this.#document(model) !== undefined;
  }

  async perform(model: Model, client: Client): Promise<void> {
    const document = this.#document(model) as ModelDocument;
    const memories = await formed(document.id, client);
    const named = memories[this.naming.memory % memories.length] as ShownPassage;
    // What is said elsewhere too is concerned there as well, if it is processed by then: which is not predicted.
    const texts = [
      ...model.documents.flatMap((one) => (one === document ? [] : [one.content])),
      ...memories.flatMap(({ id, text }) => (id === named.id ? [] : [text])),
    ];
    if (texts.some((text) => model.passages.isIn(named.text, text))) return;
    const passage = model.passages.touch(document.id, named);
    const { id } = passage.versions[this.naming.version % passage.versions.length] as { readonly id: string };
    await this.request(client, passage, { containerTag: document.tags[0], id }, model);
  }

  protected abstract request(client: Client, passage: ModelPassage, named: object, model: Model): Promise<void>;

  #document(model: Model): ModelDocument | undefined {
    return model.pick(this.naming.pick, (one) => model.statusOf(one) === 'done' && one.content.trim() !== '');
  }
}

/** Returns the memories of a document once its text is processed. */
async function formed(documentId: string, client: Client): Promise<readonly ShownPassage[]> {
  for (const end = Date.now() + client.target.patienceMs; ; await pause(PAUSE_MS)) {
    const { body } = await client.get(documentPath(documentId));
    if (body.status === 'done') return passagesOf(documentId, client);
    if (Date.now() > end) throw new Error(`${documentId} is still ${body.status}`);
  }
}

class RevisePassage extends OfOnePassage {
  readonly revision: Partial<Revision>;

  constructor(naming: Naming, revision: Partial<Revision>) {
    super(naming);
    this.revision = revision;
  }

  async request(client: Client, passage: ModelPassage, named: object, model: Model): Promise<void> {
    const { text: said, ...details } = this.revision;
    const text = said === undefined ? latestOf(passage).text : `${said} ${++client.serial}.`;
    const next = model.memories.revised(passage, { ...details, text });
    const answer = await client.request('PATCH', MEMORIES_PATH, { ...named, newContent: text, ...details });
    if (passage.forgotten !== null) return expectStatus(answer, 404);
    expectStatus(answer, 200);
    const { id, version } = answer.body;
    if (next !== null) {
      model.memories.revise(passage, next, id);
      passage.isChanged = true;
      passage.saidAgain = [];
    }
    if (latestOf(passage).id !== id || version !== passage.versions.length) {
      throw new Error(`version ${version} with the id ${id} answers ${this} of ${shown(passage)}`);
    }
  }

  toString(): string {
    return `RevisePassage(${shown({ ...this.naming, ...this.revision })})`;
  }
}

class ForgetPassage extends OfOnePassage {
  async request(client: Client, passage: ModelPassage, named: object, model: Model): Promise<void> {
    const answer = await client.request('DELETE', MEMORIES_PATH, named);
    if (passage.forgotten !== null && passage.saidAgain.length === 0) return expectStatus(answer, 409);
    // A former attempt may have forgotten it.
    expectStatus(answer, 200, ...(answer.attempts > 1 ? [409] : []));
    Object.assign(passage, { forgotten: { reason: null }, isChanged: true, saidAgain: [] });
    await expectCut(client, passage, model);
  }

  toString(): string {
    return `ForgetPassage(${shown(this.naming)})`;
  }
}

class RestorePassage extends OfOnePassage {
  async request(client: Client, passage: ModelPassage, named: { containerTag: string; id: string }, model: Model) {
    const { containerTag, id } = named;
    const answer = await client.post(`${MEMORIES_PATH}/restore`, { containerTag, ids: [id] });
    expectStatus(answer, 200);
    model.memories.restore(passage);
    passage.saidAgain = [];
    const ids = (answer.body.restored as readonly { readonly id: string }[]).map((one) => one.id);
    if (ids.join() !== latestOf(passage).id || !isActive(passage)) throw new Error(`${ids} were restored by ${this}`);
  }

  toString(): string {
    return `RestorePassage(${shown(this.naming)})`;
  }
}

const naming: fc.Arbitrary<Naming> = fc.record({ pick, memory: fc.nat(20), version: fc.nat(3) });
const revision = fc.record({ text: words, forgetAfter: fc.constantFrom(null, PAST) }, { requiredKeys: [] });

export const passageRevisions: fc.Arbitrary<Command> = fc
  .tuple(naming, revision)
  .map((parts) => new RevisePassage(...parts));
export const passageForgettings: fc.Arbitrary<Command> = naming.map((one) => new ForgetPassage(one));
export const passageRestorations: fc.Arbitrary<Command> = naming.map((one) => new RestorePassage(one));
